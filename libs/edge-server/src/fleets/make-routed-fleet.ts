import type { Logger } from '@nestjs/common';
import type { ClusterConfig, ServerSection } from '@roost/config';
import { Fleet, type Instance, KvFollower } from '@roost/fleet';
import { type FleetRouter, KvCacheAwareRouter, type RouterRegistry } from '@roost/fleet-router';
import { PrefixIndex } from '@roost/prefix-index';

import type { AgreedFormat } from './agreed-format.js';
import { disagreementOf, tokenUseOf } from './block-agreement.js';
import { RoutedFleet } from './routed-fleet.js';

/** A fleet on its way up, and what follows the blocks that its instances hold. */
export interface MadeFleet {
  readonly routed: RoutedFleet;
  readonly followers: readonly KvFollower[];
}

/** Arguments that a section's router is given without anybody having written them (reference 1.3). */
const ADDED_ARGUMENTS = new Set(['max_batch_size', 'max_num_tokens', 'tokens_per_block', 'model_path']);

/**
 * Makes a fleet and its router, not yet started.
 *
 * @param affinity whether sub-agents go to their parent's instance in this fleet
 * @param agreed how workers tokenise; null where no fleet is placed by tokens
 * @throws Error that names the section, when the router's type is unknown or an argument of it is wrong
 */
export function makeRoutedFleet(
  role: 'context' | 'generation',
  section: ServerSection,
  config: ClusterConfig,
  {
    affinity,
    routers,
    logger,
    agreed,
  }: { affinity: boolean; routers: RouterRegistry; logger: Logger; agreed: AgreedFormat | null },
): MadeFleet {
  const { type, ...args } = section.router;
  const tokensFor = tokenUseOf(section);
  const prefixIndex = tokensFor === 'blocks' ? new PrefixIndex({ maxBytes: config.edge.prefix_index_bytes }) : null;
  const create = inSection(`${role}_servers.router`, routers);
  const created = create(type, args, {
    servers: section.urls,
    nodeId: config.node_id,
    now: () => performance.now(),
    // Prompts come tokenised; where one could not be, there is nothing to match by.
    tokenize: () => [],
    ...(prefixIndex === null ? {} : { prefixIndex }),
  });
  const ignored = created.ignoredArgs.filter((name) => !ADDED_ARGUMENTS.has(name));
  if (ignored.length > 0) logger.warn(`${role}_servers.router: ${type} has no use for ${ignored.join(', ')}`);
  const fleet = new Fleet(role, section.urls, {
    pollIntervalMs: config.edge.health_poll_interval_ms,
    probeTimeoutMs: config.edge.worker_connect_timeout_ms,
    onChange: (instance) => {
      tell(logger, role, instance);
      adoptBlockSize(created.router, instance);
    },
    ...(agreed === null ? {} : { accept: (info) => disagreementOf(section, info, agreed) }),
  });
  const followers =
    prefixIndex === null ? [] : fleet.instances.map((instance) => new KvFollower(instance, prefixIndex));
  const keepsViews = config.edge.admin_port !== null;
  const extras = { tokensFor, prefixIndex, keepsViews };
  return { routed: new RoutedFleet(fleet, created.router, affinity, extras), followers };
}

function inSection(section: string, routers: RouterRegistry): RouterRegistry['create'] {
  return (...parts) => {
    try {
      return routers.create(...parts);
    } catch (error) {
      throw error instanceof Error ? new Error(`${section}: ${error.message}`, { cause: error }) : error;
    }
  };
}

/** Which tokens a match stands for: a router that compares blocks has them in the workers' size. */
function adoptBlockSize(router: FleetRouter, { serving, info }: Instance): void {
  if (serving && info !== null && router instanceof KvCacheAwareRouter) router.adoptTokensPerBlock(info.tokensPerBlock);
}

function tell(logger: Logger, role: string, { server, serving }: Instance): void {
  if (serving) logger.log({ instance: server, role, msg: 'an instance serves' });
  else logger.warn({ instance: server, role, msg: 'an instance does not serve: it gets no new work' });
}
