import type { Secret } from '../secret.js';
import { Choice, Flag, Section, Text, Whole } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';
import { pythonTypeName, showValue } from '../show-value.js';

import { InternalRequestAuthKey, InternalRequestAuthPreviousKeys } from './auth-keys.js';
import { EdgeSettings } from './edge-settings.js';
import { LoggingSettings } from './logging-settings.js';
import { ServerSection } from './server-section.js';
import { ConditionalDisaggConfig, DisaggClusterConfig, OtlpConfig } from './upstream-sections.js';

/** Which legs follow the parent session's routing key. */
export type SubagentAffinityScope = 'context' | 'both';

/** A cluster: the edge, and the fleets behind it (reference 1.1). */
@Group({
  title: 'Cluster file',
  meaning:
    'The edge, and the fleets behind it. Worker arguments written at this level are inherited by both server sections.',
  source: 'upstream',
  ignored: [],
})
export class ClusterConfig {
  @Text('Host that the edge listens on and is known by.')
  readonly hostname: string = 'localhost';

  @Text('Host that the edge listens on, where it is not `hostname`.', {
    nullable: true,
  })
  readonly bind_host: string | null = null;

  @Whole('Port that the edge listens on; 0 takes a free one.', {
    min: 0,
    max: 65535,
  })
  readonly port: number = 8000;

  @Whole('Further attempts at a leg that failed before its first token.', {
    min: 0,
    max: 100,
  })
  readonly max_retries: number = 1;

  @Whole('Requests whose figures are kept.', { min: 0, idle: true })
  readonly perf_metrics_max_requests: number = 0;

  @Flag('Show per-request figures in response headers.', { idle: true })
  readonly return_perf_metrics: boolean = false;

  @Text('Directory that per-request figures are written to.', {
    nullable: true,
    idle: true,
  })
  readonly perf_metrics_output_dir: string | null = null;

  @Section('The context fleet.', () => ServerSection, { nullable: true })
  readonly context_servers: ServerSection | null = null;

  @Section('The generation fleet.', () => ServerSection, {
    nullable: true,
    defaultText: 'required',
  })
  readonly generation_servers: ServerSection | null = null;

  @Section(
    'Requests that skip the context fleet. Needs a `kv_cache_aware` generation router.',
    () => ConditionalDisaggConfig,
    {
      nullable: true,
    },
  )
  readonly conditional_disagg_config: ConditionalDisaggConfig | null = null;

  @Section('Tracing.', () => OtlpConfig, { nullable: true })
  readonly otlp_config: OtlpConfig | null = null;

  @Section('Not available in this version.', () => DisaggClusterConfig, {
    nullable: true,
  })
  readonly disagg_cluster: DisaggClusterConfig | null = null;

  @Whole('Number that tells this edge from others in request ids.', {
    min: 0,
    max: 255,
    defaultText: 'hardware address modulo 256',
    message: (value) => `node_id must be in range [0, 256), got ${showValue(value)}`,
  })
  readonly node_id: number = 0;

  @Text(
    "`context_first`: the generation leg starts with the context leg's answer; `generation_first`: both start together.",
  )
  readonly schedule_style: string = 'context_first';

  @Flag('Let clients bring a chat template of their own.', {
    keepsNull: true,
    message: (value) => `allow_request_chat_template must be a boolean, got ${pythonTypeName(value)}`,
  })
  readonly allow_request_chat_template: boolean = false;

  @Flag('Send only the last chat message to generation workers.', { idle: true })
  readonly gen_strip_message_history: boolean = false;

  @Flag('Hand token ids from leg to leg as base64 bytes.', { idle: true })
  readonly gen_tokids_ctxbytes: boolean = false;

  @Whole('Edge processes; more than one is not available in this version.')
  readonly num_workers: number = 1;

  @Text('Not available in this version.', { nullable: true })
  readonly disagg_coordinator_url: string | null = null;

  @Whole('How long an idle client connection is kept.', {
    unit: 's',
    min: 0,
    keepsNull: true,
    message: (value) => `server_keep_alive_timeout must be a non-negative integer, got ${showValue(value)}`,
  })
  readonly server_keep_alive_timeout: number = 10;

  @InternalRequestAuthKey()
  readonly internal_request_auth_key: Secret | null = null;

  @InternalRequestAuthPreviousKeys()
  readonly internal_request_auth_previous_keys: readonly Secret[] = [];

  @Text(
    'Request header that names the parent session of a sub-agent; null or empty: no sub-agent affinity. Needs `internal_request_auth_key`.',
    { nullable: true },
  )
  readonly conversation_affinity_header_for_subagents: string | null = null;

  @Choice('Legs that follow the parent session: the context leg, or both.', ['context', 'both'], {
    message: (value) => `subagent_affinity_scope must be 'context' or 'both', got ${showValue(value)}`,
  })
  readonly subagent_affinity_scope: SubagentAffinityScope = 'context';

  @Section('The edge as a server.', () => EdgeSettings, { source: 'ours' })
  readonly edge: EdgeSettings = new EdgeSettings();

  @Section('Logs.', () => LoggingSettings, { source: 'ours' })
  readonly logging: LoggingSettings = new LoggingSettings();

  /** Every key that verifies, the one that signs first; empty without authentication. */
  get internal_request_auth_keys(): readonly Secret[] {
    return this.internal_request_auth_key
      ? [this.internal_request_auth_key, ...this.internal_request_auth_previous_keys]
      : [];
  }
}
