/** What is told of one metric, wherever it is told: at `/metrics`, in docs/metrics.md, and to those who check dashboards. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** What a value says; with `unit` nothing more is needed to read it. */
  readonly meaning: string;
  readonly unit: string;
  readonly labels: readonly string[];
  /** Upper bounds, of a histogram. */
  readonly buckets?: readonly number[];
}

/** Metrics by the name that code knows them by. */
export type MetricDefinitions = Readonly<Record<string, MetricDefinition>>;

const SHORT_TIMES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const WAIT_TIMES = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const REQUEST_TIMES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

function counter(name: string, unit: string, meaning: string, labels: readonly string[] = []): MetricDefinition {
  return { name, type: 'counter', unit, meaning, labels };
}

function gauge(name: string, unit: string, meaning: string, labels: readonly string[] = []): MetricDefinition {
  return { name, type: 'gauge', unit, meaning, labels };
}

function times(
  name: string,
  meaning: string,
  buckets: readonly number[],
  labels: readonly string[] = [],
): MetricDefinition {
  return { name, type: 'histogram', unit: 'seconds', meaning, labels, buckets };
}

/** Metrics of every process. */
export const PROCESS_METRICS = {
  buildInfo: gauge('roost_build_info', '1', 'Version of the process.', ['app', 'version']),
  eventLoopDelay: gauge(
    'roost_event_loop_delay_seconds',
    'seconds',
    'How late timers fired since the last scrape: `quantile` 0.5, 0.99, and 1 for the longest.',
    ['quantile'],
  ),
  heapUsed: gauge('roost_heap_used_bytes', 'bytes', 'JavaScript heap in use.'),
  cpu: counter('process_cpu_seconds_total', 'seconds', 'Processor time of the process, user and system.'),
  residentMemory: gauge('process_resident_memory_bytes', 'bytes', 'Memory of the process.'),
  startTime: gauge('process_start_time_seconds', 'seconds of the epoch', 'When the process started.'),
  spansLost: counter('roost_trace_spans_lost_total', 'spans', 'Spans that could not be given to the OTLP collector.'),
} as const satisfies MetricDefinitions;

/** Metrics of an edge. */
export const EDGE_METRICS = {
  requests: counter(
    'roost_requests_total',
    'requests',
    'Requests ended, by `outcome`: `ok`, or the code of the error. `route` is `chat`, `completions`, or `other` for refused requests to other paths.',
    ['route', 'outcome'],
  ),
  requestTime: times('roost_request_seconds', 'From arrival to the end of the answer.', REQUEST_TIMES, ['route']),
  timeToFirstToken: times(
    'roost_time_to_first_token_seconds',
    'From arrival to the first text of a streamed answer.',
    REQUEST_TIMES,
    ['route', 'model'],
  ),
  interTokenLatency: times(
    'roost_inter_token_latency_seconds',
    'Mean time between two tokens of one streamed answer; one observation an answer of two tokens or more.',
    SHORT_TIMES,
    ['route', 'model'],
  ),
  admissionWait: times('roost_admission_wait_seconds', 'Wait for one of the concurrent places.', WAIT_TIMES),
  inFlight: gauge('roost_requests_in_flight', 'requests', 'Requests being served.'),
  queued: gauge('roost_requests_queued', 'requests', 'Requests that wait for a place.'),
  promptTokens: counter('roost_prompt_tokens_total', 'tokens', 'Prompt tokens of answered requests.', ['model']),
  cachedTokens: counter('roost_cached_prompt_tokens_total', 'tokens', 'Of the prompt tokens, those found cached.', [
    'model',
  ]),
  generatedTokens: counter('roost_generated_tokens_total', 'tokens', 'Tokens of answers.', ['model']),
  placements: counter(
    'roost_placements_total',
    'placements',
    'Instances chosen, by the router’s `decision` and, in words, its `reason`.',
    ['fleet', 'decision', 'reason'],
  ),
  legAttempts: counter(
    'roost_leg_attempts_total',
    'attempts',
    'Attempts at legs, by `outcome`: `ok`, the code of the error, or `unused` where the request ended first.',
    ['fleet', 'worker', 'outcome'],
  ),
  legRetries: counter(
    'roost_leg_retries_total',
    'attempts',
    'Attempts after another of the same leg had failed; `reason` is the code that it failed with.',
    ['fleet', 'reason'],
  ),
  resumed: counter(
    'roost_answers_resumed_total',
    'answers',
    'Answers begun again after their instance or cache was lost.',
  ),
  cancellations: counter(
    'roost_cancellations_total',
    'requests',
    'Requests ended before their answer was: by the `client`, the `deadline`, or the edge’s own `shutdown`.',
    ['reason'],
  ),
  instanceServing: gauge('roost_instance_serving', '1 or 0', 'Whether the instance gets new work.', [
    'fleet',
    'worker',
  ]),
  instanceRequests: gauge('roost_instance_requests', 'requests', 'Legs that this edge has running there.', [
    'fleet',
    'worker',
  ]),
  instanceLoad: gauge(
    'roost_instance_load',
    'the router’s: requests or tokens',
    'Load that this edge has reserved there.',
    ['fleet', 'worker'],
  ),
  bindings: gauge('roost_bindings', 'bindings', 'Routing keys bound to instances.', ['fleet']),
  bindingsEvicted: counter('roost_bindings_evicted_total', 'bindings', 'Bindings that a full table dropped.', [
    'fleet',
  ]),
  subagentRequests: counter('roost_subagent_requests_total', 'requests', 'Requests with a parent session.'),
  parentHeaderNeverSeen: counter(
    'roost_parent_header_never_seen_total',
    'requests',
    'Requests served while the configured parent header had not been seen once. A warning is logged at the 100th.',
  ),
  sessionIdMissing: counter(
    'roost_session_id_missing_total',
    'requests',
    'Requests without a conversation id. A warning is logged, once, when more than half of 100 in a row have none.',
  ),
  indexBlocks: gauge('roost_prefix_index_blocks', 'blocks', 'Blocks known to lie on some instance.', ['fleet']),
  indexOwners: gauge('roost_prefix_index_owners', 'owners', 'Ranks, and claims on instances, in the index.', ['fleet']),
  indexBytes: gauge('roost_prefix_index_bytes', 'bytes', 'Memory of the index.', ['fleet']),
  indexEvictions: counter('roost_prefix_index_evictions_total', 'blocks', 'Blocks forgotten for want of room.', [
    'fleet',
  ]),
  tokenizerQueue: gauge('roost_tokenizer_queue_depth', 'prompts', 'Prompts that wait for a tokeniser thread.'),
  tokenizerSkipped: counter(
    'roost_tokenizer_skipped_total',
    'prompts',
    'Prompts placed without their tokens: too many waited, one was too long to ask a worker about, or a worker did not tell.',
  ),
  tokenizerFailed: counter(
    'roost_tokenizer_failed_total',
    'prompts',
    'Of these, prompts that a worker was asked about and did not tokenise. A warning names each worker and reason once.',
  ),
} as const satisfies MetricDefinitions;

/** Metrics of a worker; each of them, and those of every process, has the label `fleet` there: `context`, `generation` or `both`. */
export const WORKER_METRICS = {
  info: gauge('roost_worker_info', '1', 'What the worker is.', ['model', 'engine', 'endpoint']),
  serving: gauge('roost_worker_serving', '1 or 0', 'Whether the worker says SERVING.'),
  legs: counter('roost_worker_legs_total', 'legs', 'Legs ended, by `outcome`: `ok`, or the code of the error.', [
    'leg',
    'outcome',
  ]),
  legTime: times('roost_worker_leg_seconds', 'From a leg’s arrival to its end.', REQUEST_TIMES, ['leg']),
  inFlight: gauge('roost_worker_legs_in_flight', 'legs', 'Legs that run or wait.'),
  queueTime: times('roost_worker_queue_seconds', 'Wait for a rank.', WAIT_TIMES, ['leg']),
  queueDepth: gauge('roost_worker_queue_depth', 'requests', 'Requests that wait for a rank.'),
  prefillTime: times('roost_worker_prefill_seconds', 'Prefill on the rank.', REQUEST_TIMES, ['leg']),
  promptTokens: counter('roost_worker_prompt_tokens_total', 'tokens', 'Prompt tokens of prefills.', ['leg']),
  cachedTokens: counter('roost_worker_cached_tokens_total', 'tokens', 'Of these, those found cached.', ['leg']),
  generatedTokens: counter('roost_worker_generated_tokens_total', 'tokens', 'Tokens sent in answers.'),
  rankRequests: gauge('roost_rank_active_requests', 'requests', 'Requests that the rank works on.', ['rank']),
  rankTokens: gauge('roost_rank_active_tokens', 'tokens', 'Prompt tokens of those requests.', ['rank']),
  rankPending: gauge('roost_rank_pending_prefill_tokens', 'tokens', 'Of these, those still to be computed.', ['rank']),
  rankBlocksTotal: gauge('roost_rank_kv_blocks', 'blocks', 'Size of the rank’s KV cache.', ['rank']),
  rankBlocksPinned: gauge('roost_rank_kv_blocks_pinned', 'blocks', 'Blocks in use or held for a handoff.', ['rank']),
  rankBlocksCached: gauge('roost_rank_kv_blocks_cached', 'blocks', 'Blocks kept for reuse, in use by nobody.', [
    'rank',
  ]),
  rankEvictions: counter('roost_rank_kv_evictions_total', 'blocks', 'Blocks that ceased to be reusable.', ['rank']),
  rankHeld: gauge('roost_rank_held_handoffs', 'caches', 'Caches that wait to be taken over, or to be decoded from.', [
    'rank',
  ]),
  rankDecisions: counter('roost_rank_decisions_total', 'placements', 'Ranks chosen, by the router’s `decision`.', [
    'rank',
    'decision',
  ]),
  rankBindings: gauge('roost_rank_bindings', 'bindings', 'Routing keys bound to ranks.'),
  rankBindingsEvicted: counter('roost_rank_bindings_evicted_total', 'bindings', 'Bindings that a full table dropped.'),
  signaturesRefused: counter(
    'roost_signatures_refused_total',
    'calls',
    'Calls refused for want of a `proof` of `affinity` or `handoff`: it was `missing` or `wrong`, or the worker has `no_key`.',
    ['proof', 'reason'],
  ),
  handoffTime: times('roost_handoff_seconds', 'Taking over a KV cache, room for it included.', REQUEST_TIMES),
  handoffBytes: counter('roost_handoff_bytes_total', 'bytes', 'KV cache `sent` and `received`.', ['direction']),
  handoffFailures: counter(
    'roost_handoff_failures_total',
    'handoffs',
    'Caches that could not be taken over; `reason` is the code of the error.',
    ['reason'],
  ),
  handoffsExpired: counter('roost_handoffs_expired_total', 'caches', 'Held caches that nobody fetched in time.'),
} as const satisfies MetricDefinitions;
