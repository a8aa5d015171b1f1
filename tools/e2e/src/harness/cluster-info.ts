/** One rank in an edge's `/cluster_info`. */
export interface RankInfo {
  readonly rank: number;
  readonly num_active_requests: number;
  readonly num_active_tokens: number;
  readonly kv_blocks_total: number;
  readonly kv_blocks_pinned: number;
  readonly kv_blocks_cached: number;
  readonly num_held_handoffs: number;
}

/** One worker in an edge's `/cluster_info`; what stands behind `load` is there once the worker has been reached. */
export interface InstanceInfo {
  readonly server: string;
  readonly serving: boolean;
  readonly load: number;
  readonly incarnation?: string;
  readonly queue_depth?: number;
  readonly ranks?: readonly RankInfo[];
}

/** An edge's `/cluster_info`. */
export interface ClusterInfo {
  readonly is_ready: boolean;
  readonly conversation_affinity_header_for_subagents: string | null;
  readonly subagent_affinity_scope: string;
  readonly requests: { readonly in_flight: number; readonly queued: number };
  readonly context_servers: readonly InstanceInfo[];
  readonly generation_servers: readonly InstanceInfo[];
}

/** All that requests hold somewhere. Everything is 0 when no request runs. */
export interface Counters {
  readonly inFlight: number;
  readonly queuedAtEdge: number;
  /** What the edge's routers believe is going on. */
  readonly loads: number;
  readonly queuedAtWorkers: number;
  readonly active: number;
  readonly pinnedBlocks: number;
  readonly heldHandoffs: number;
}

/** What is held of a cluster, summed over all workers that serve. */
export function countersOf({ requests, context_servers, generation_servers }: ClusterInfo): Counters {
  const instances = [...context_servers, ...generation_servers];
  const serving = instances.filter((instance) => instance.serving);
  const ranks = serving.flatMap((instance) => instance.ranks ?? []);
  return {
    inFlight: requests.in_flight,
    queuedAtEdge: requests.queued,
    loads: sum(instances.map(({ load }) => load)),
    queuedAtWorkers: sum(serving.map((instance) => instance.queue_depth ?? 0)),
    active: sum(ranks.map((rank) => rank.num_active_requests)),
    pinnedBlocks: sum(ranks.map((rank) => rank.kv_blocks_pinned)),
    heldHandoffs: sum(ranks.map((rank) => rank.num_held_handoffs)),
  };
}

/** {@link Counters} when no request runs. */
export const NOTHING_HELD: Counters = {
  inFlight: 0,
  queuedAtEdge: 0,
  loads: 0,
  queuedAtWorkers: 0,
  active: 0,
  pinnedBlocks: 0,
  heldHandoffs: 0,
};

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
