import { Flag, Text, Whole } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';

/** The edge as a server. Retries are upstream's `max_retries`. */
@Group({
  title: 'edge',
  meaning: 'The edge as a server. Retries are set by `max_retries` above it.',
  source: 'ours',
  ignored: [],
})
export class EdgeSettings {
  @Whole('Requests served at once.', { unit: 'requests' })
  readonly max_concurrent_requests: number = 1024;

  @Whole('Requests that may wait for one of those places; past it clients get 429.', { unit: 'requests', min: 0 })
  readonly max_queued_requests: number = 4096;

  @Whole('Threads that tokenise prompts, where a router places by tokens.', { unit: 'threads', max: 64 })
  readonly tokenizer_threads: number = 1;

  @Whole('Prompts that may wait for such a thread; past it requests are placed without their tokens.', {
    unit: 'prompts',
  })
  readonly max_queued_prompts: number = 256;

  @Whole(
    "How long a worker may take to tokenise a prompt, where a router places by tokens and the edge does not know the workers' model; past it the request is placed without its tokens.",
    { unit: 'ms' },
  )
  readonly worker_tokenize_timeout_ms: number = 2000;

  @Whole('Memory for knowing which blocks lie on which instance, for each fleet that is placed by tokens.', {
    unit: 'bytes',
    min: 65_536,
  })
  readonly prefix_index_bytes: number = 268_435_456;

  @Whole("Deadline of a request, both legs and the wait included (upstream's `--request_timeout`).", {
    unit: 's',
    max: 86_400,
  })
  readonly request_timeout_s: number = 180;

  @Whole('Largest request body; past it clients get 413.', {
    unit: 'bytes',
    max: 2 ** 30,
  })
  readonly body_limit_bytes: number = 32 * 1024 * 1024;

  @Whole('Largest request head; past it clients get 431.', { unit: 'bytes' })
  readonly header_limit_bytes: number = 16384;

  @Whole("How long a client may take to send a request's head.", {
    unit: 'ms',
  })
  readonly header_timeout_ms: number = 10_000;

  @Whole('How long a client may take to send a request, body included.', {
    unit: 'ms',
  })
  readonly body_timeout_ms: number = 60_000;

  @Flag('Say in response headers where a request was served and why; for trying things out, not for the open internet.')
  readonly explain_headers: boolean = false;

  @Whole(
    'Port of 127.0.0.1 on which operators ask where recent requests went and why (`roost explain`); null: none, 0: a free one.',
    { min: 0, max: 65_535, nullable: true },
  )
  readonly admin_port: number | null = null;

  @Whole('Recent requests that are remembered for that, without their texts.', { unit: 'requests', max: 1_000_000 })
  readonly explained_requests: number = 1000;

  @Text(
    'File to which every request adds a line for `roost replay`: times, token counts, hashed ids and hashes of the prompt in blocks of 64 tokens, never text; null: none. Prompts are tokenised for it after the answer. Each edge needs a file of its own.',
    { nullable: true },
  )
  readonly trace_log: string | null = null;

  @Whole(
    'Largest size of that file; before it would be larger, it is renamed to the same name with `.1`, in place of the one before.',
    { unit: 'bytes', min: 65_536 },
  )
  readonly trace_log_bytes: number = 268_435_456;

  @Whole('How long in-flight requests may go on after SIGTERM.', {
    unit: 's',
    min: 0,
  })
  readonly shutdown_timeout_s: number = 30;

  @Whole('Pause between two health checks of a worker.', { unit: 'ms' })
  readonly health_poll_interval_ms: number = 500;

  @Whole('How long connecting to a worker may take.', { unit: 'ms' })
  readonly worker_connect_timeout_ms: number = 2000;
}
