import { Free, TextList, Whole } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';

import { WorkerArgs } from './worker-args.js';

/** The router types that every edge has. */
export const BUILT_IN_ROUTERS: readonly string[] = ['round_robin', 'load_balancing', 'kv_cache_aware', 'conversation'];

/** How a fleet's router is configured: its type, and arguments that the router itself checks. */
export interface RouterSection extends Readonly<Record<string, unknown>> {
  readonly type: string;
}

/** One fleet: its instances, its router, and what its workers are told (reference 1.3). */
@Group({
  title: 'context_servers, generation_servers',
  meaning:
    'One fleet: its instances and its router, beside the worker arguments. The keys for authentication may stand here too, and count for the whole cluster. A cluster with generation servers only serves both phases on them.',
  source: 'upstream',
  ignored: [],
})
export class ServerSection extends WorkerArgs {
  @Whole('Number of instances; must equal the number of `urls`.', { min: 0 })
  readonly num_instances: number = 1;

  @TextList('Where the instances are: a list of `host:port`.', {
    defaultText: 'required, unless `num_instances` is 0',
  })
  readonly urls: readonly string[] = [];

  @Free(
    `Router of the fleet: \`type\` (${BUILT_IN_ROUTERS.map((type) => `\`${type}\``).join(', ')}, or one that a third party registered) and its arguments, which [the routers](../libs/fleet-router/README.md) describe. \`max_batch_size\`, \`max_num_tokens\` and \`kv_cache_config.tokens_per_block\` are added where they are set.`,
    { defaultText: '{type: round_robin}' },
  )
  readonly router: RouterSection = { type: 'round_robin' };
}
