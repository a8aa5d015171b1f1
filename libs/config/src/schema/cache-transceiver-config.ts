import { Text, Whole } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';

/** How KV caches travel from context to generation workers. */
@Group({
  title: 'cache_transceiver_config',
  meaning:
    'How KV caches travel from context to generation workers. Written as null: this worker takes part in no handoff and refuses requests that carry one.',
  source: 'upstream',
  ignored: [
    'kv_transfer_poll_interval_ms',
    'kv_transfer_sender_future_timeout_ms',
    'max_tokens_in_buffer',
    'transceiver_runtime',
  ],
})
export class CacheTransceiverConfig {
  @Text(
    "Upstream's transport (DEFAULT, UCX, NIXL, MPI, MOONCAKE). Roost has one of its own, gRPC, and takes any name for it.",
  )
  readonly backend: string = 'DEFAULT';

  @Whole('How long a context worker holds a KV cache that nobody fetches, and how long fetching one may take.', {
    unit: 'ms',
  })
  readonly kv_transfer_timeout_ms: number = 60000;
}
