import { Flag, Whole } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';

/** The KV cache of every rank. */
@Group({
  title: 'kv_cache_config',
  meaning: 'The KV cache of every rank.',
  source: 'upstream',
  ignored: [
    'attention_dp_events_gather_period_ms',
    'block_reuse_config',
    'copy_on_partial_reuse',
    'cross_kv_cache_fraction',
    'dtype',
    'enable_partial_reuse',
    'event_buffer_max_size',
    'free_gpu_memory_fraction',
    'host_cache_size',
    'mamba_ssm_cache_dtype',
    'mamba_state_cache_interval',
    'max_attention_window',
    'max_gpu_total_bytes',
    'max_util_for_resume',
    'onboard_blocks',
    'pool_ratio',
    'secondary_offload_min_priority',
    'sink_token_length',
    'use_kv_cache_manager_v2',
    'use_uvm',
  ],
})
export class KvCacheConfig {
  @Whole('Tokens in one cache block, the unit of reuse.', { unit: 'tokens' })
  readonly tokens_per_block: number = 32;

  @Whole('Capacity of one rank.', {
    unit: 'tokens',
    defaultText: '262144 (upstream: from free GPU memory)',
  })
  readonly max_tokens: number = 262144;

  @Flag("Keep finished requests' blocks for prompts that start alike.")
  readonly enable_block_reuse: boolean = true;
}
