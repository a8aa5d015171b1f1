import { Section, Text, Whole } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';

/** When a request may skip the context fleet (reference 1.1). */
@Group({
  title: 'conditional_disagg_config',
  meaning: 'When a request may skip the context fleet.',
  source: 'upstream',
  ignored: [],
})
export class ConditionalDisaggConfig {
  @Whole('Longest uncached part of a prompt that a generation worker takes.', {
    unit: 'tokens',
    min: 0,
  })
  readonly max_local_prefill_length: number = 0;
}

/** Where traces go (reference 1.1). */
@Group({
  title: 'otlp_config',
  meaning: 'Where traces go.',
  source: 'upstream',
  ignored: [],
})
export class OtlpConfig {
  @Text(
    'Where the edge sends its traces, and workers of the same launch theirs: URL of an OTLP collector over HTTP; without a path, `/v1/traces`. Null: no traces.',
    { nullable: true },
  )
  readonly otlp_traces_endpoint: string | null = null;
}

/** How many instances a cluster needs to be ready (reference 1.4). */
@Group({
  title: 'disagg_cluster.minimal_instances',
  meaning: 'How many instances a cluster needs to be ready.',
  source: 'upstream',
  ignored: [],
})
export class MinimalInstances {
  @Whole('Context instances.', { min: 0 })
  readonly context_servers: number = 1;

  @Whole('Generation instances.', { min: 0 })
  readonly generation_servers: number = 1;
}

/** How instances are discovered (reference 1.4). */
@Group({
  title: 'disagg_cluster',
  meaning: 'How instances are discovered.',
  source: 'upstream',
  ignored: [],
})
export class DisaggClusterConfig {
  @Text('Where instances register; required.', {
    nullable: true,
    defaultText: 'required',
  })
  readonly cluster_uri: string | null = null;

  @Text('Name that tells clusters in one store apart.', { nullable: true })
  readonly cluster_name: string | null = null;

  @Section('Instances needed to be ready.', () => MinimalInstances)
  readonly minimal_instances: MinimalInstances = new MinimalInstances();

  @Whole('Pause between two heartbeats.', { unit: 's' })
  readonly heartbeat_interval_sec: number = 5;

  @Whole('Silence after which an instance counts as gone.', { unit: 's' })
  readonly inactive_timeout_sec: number = 10;
}
