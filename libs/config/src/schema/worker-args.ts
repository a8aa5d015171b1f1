import { Flag, Section, Text, Whole } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';

import { AttentionDpConfig } from './attention-dp-config.js';
import { CacheTransceiverConfig } from './cache-transceiver-config.js';
import { EngineSettings } from './engine-settings.js';
import { KvCacheConfig } from './kv-cache-config.js';
import { LoggingSettings } from './logging-settings.js';
import { IGNORED_LLM_ARGS } from './upstream-ignored-keys.js';
import { WorkerSettings } from './worker-settings.js';

/** What a worker is told of its model, ranks, cache and engine, in its own file or in a server section of a cluster file. */
@Group({
  title: 'Worker arguments',
  meaning:
    'Accepted in a worker file, in `context_servers` and `generation_servers`, and at the top level of a cluster file, from where both sections inherit them.',
  source: 'upstream',
  ignored: IGNORED_LLM_ARGS,
})
export class WorkerArgs {
  @Text('Name that the model is served under.')
  readonly model: string = 'roost-simulated';

  @Whole('Number of ranks with `enable_attention_dp`.', { max: 65536 })
  readonly tensor_parallel_size: number = 1;

  @Whole("Upstream's pipeline stages.", { idle: true })
  readonly pipeline_parallel_size: number = 1;

  @Whole("Upstream's context-parallel ranks.", { idle: true })
  readonly context_parallel_size: number = 1;

  @Flag('Give every rank its own KV cache and requests; without it an instance has one rank.')
  readonly enable_attention_dp: boolean = false;

  @Section('Spread over ranks.', () => AttentionDpConfig)
  readonly attention_dp_config: AttentionDpConfig = new AttentionDpConfig();

  @Whole('Requests that one rank works on at once.', {
    unit: 'requests',
    defaultText: '64 (upstream: from the model)',
  })
  readonly max_batch_size: number = 64;

  @Whole('Tokens that one rank computes in one iteration.', {
    unit: 'tokens',
  })
  readonly max_num_tokens: number = 8192;

  @Whole('Longest prompt plus answer.', {
    unit: 'tokens',
    defaultText: '131072 (upstream: from the model)',
  })
  readonly max_seq_len: number = 131072;

  @Section('KV cache of every rank.', () => KvCacheConfig)
  readonly kv_cache_config: KvCacheConfig = new KvCacheConfig();

  @Section('KV handoff; null: none.', () => CacheTransceiverConfig, {
    nullable: true,
    keepsNull: true,
  })
  readonly cache_transceiver_config: CacheTransceiverConfig | null = new CacheTransceiverConfig();

  @Flag(
    "Report per-request figures. Forced on in both sections by the edge's `return_perf_metrics` or `perf_metrics_output_dir`.",
    { idle: true },
  )
  readonly return_perf_metrics: boolean = false;

  @Text(
    "Where the worker sends its traces: URL of an OTLP collector over HTTP. Null: no traces, but in a cluster file `otlp_config`'s.",
    { nullable: true },
  )
  readonly otlp_traces_endpoint: string | null = null;

  @Section('Engine.', () => EngineSettings, { source: 'ours' })
  readonly engine: EngineSettings = new EngineSettings();

  @Section('Server.', () => WorkerSettings, { source: 'ours' })
  readonly worker: WorkerSettings = new WorkerSettings();

  @Section('Logs.', () => LoggingSettings, { source: 'ours' })
  readonly logging: LoggingSettings = new LoggingSettings();

  /** ADP ranks of the instance: each has its own KV cache and requests. */
  get num_ranks(): number {
    return this.enable_attention_dp ? this.tensor_parallel_size : 1;
  }

  /** Upstream's count of devices of one instance (reference 1.3). */
  get instance_num_ranks(): number {
    return this.tensor_parallel_size * this.pipeline_parallel_size * this.context_parallel_size;
  }
}
