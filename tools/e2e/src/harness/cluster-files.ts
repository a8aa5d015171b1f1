import { mergeSettings, type Settings } from './settings.js';

/** A worker of a cluster under test. */
export interface WorkerPlan {
  readonly name: string;
  readonly role: 'CONTEXT' | 'GENERATION' | null;
  readonly port: number;
  readonly settings: Settings;
}

/** Name of the header that names the parent session, unless a test says otherwise. */
export const PARENT_HEADER = 'x-parent-session';

/** A simulated engine that takes no time worth mentioning. */
const FAST: Settings = { engine: { simulated: { speed_up: 50 } } };

/** A worker's own file: one rank, or several with conversation affinity among them. */
export function workerFile({ role, port, settings }: WorkerPlan, ranks: number, key: string | null): Settings {
  const affinity: Settings = {
    enable_attention_dp: true,
    tensor_parallel_size: ranks,
    attention_dp_config: { kv_cache_routing_conversation_affinity: true },
  };
  const base: Settings = { hostname: '127.0.0.1', port, role, worker: { shutdown_timeout_s: 10 } };
  return mergeSettings(base, FAST, affinity, { internal_request_auth_key: key }, settings);
}

/** An edge's file over workers given as `host:port`. */
export function edgeFile(
  port: number,
  servers: { readonly context: readonly string[]; readonly generation: readonly string[] },
  key: string | null,
  settings: Settings,
): Settings {
  const fleet = (urls: readonly string[]): Settings => ({
    num_instances: urls.length,
    urls,
    router: { type: 'conversation' },
  });
  const base: Settings = {
    hostname: '127.0.0.1',
    port,
    node_id: 7,
    edge: { explain_headers: true, health_poll_interval_ms: 100, shutdown_timeout_s: 10 },
    generation_servers: fleet(servers.generation),
  };
  const context = servers.context.length > 0 ? { context_servers: fleet(servers.context) } : {};
  const auth =
    key === null ? {} : { internal_request_auth_key: key, conversation_affinity_header_for_subagents: PARENT_HEADER };
  return mergeSettings(base, context, auth, settings);
}
