import { status } from '@grpc/grpc-js';

/** What is known of an error by its code alone: how to answer it, how loud to log it, and whether trying elsewhere helps. */
export interface ErrorKind {
  /** Status of the HTTP answer. */
  readonly http: number;
  /** Status of the gRPC answer. */
  readonly grpc: status;
  /** `type` in the OpenAI error envelope. */
  readonly type: string;
  readonly fault: 'client' | 'us' | 'upstream';
  readonly level: 'info' | 'warn' | 'error';
  /** Whether the same leg may succeed on another instance. */
  readonly retryable: boolean;
}

const client = (http: number, grpc: status, type = 'invalid_request_error'): ErrorKind => ({
  http,
  grpc,
  type,
  fault: 'client',
  level: 'info',
  retryable: false,
});

/** Every error that Roost answers with; the code is also the metric label. */
export const ERRORS = {
  invalid_json: client(400, status.INVALID_ARGUMENT),
  invalid_request: client(400, status.INVALID_ARGUMENT),
  unsupported_parameter: client(400, status.INVALID_ARGUMENT),
  context_length_exceeded: client(400, status.INVALID_ARGUMENT),
  invalid_affinity_auth: client(400, status.INVALID_ARGUMENT),
  invalid_handoff_auth: client(400, status.INVALID_ARGUMENT),
  not_found: client(404, status.NOT_FOUND),
  model_not_found: client(404, status.NOT_FOUND),
  method_not_allowed: client(405, status.UNIMPLEMENTED),
  request_timeout: client(408, status.DEADLINE_EXCEEDED),
  body_too_large: client(413, status.INVALID_ARGUMENT),
  unsupported_media_type: client(415, status.INVALID_ARGUMENT),
  headers_too_large: client(431, status.INVALID_ARGUMENT),
  client_closed_request: {
    ...client(499, status.CANCELLED),
    type: 'client_error',
  },
  overloaded: {
    http: 429,
    grpc: status.RESOURCE_EXHAUSTED,
    type: 'rate_limit_error',
    fault: 'us',
    level: 'warn',
    retryable: true,
  },
  request_id_in_use: {
    http: 502,
    grpc: status.ALREADY_EXISTS,
    type: 'server_error',
    fault: 'upstream',
    level: 'warn',
    retryable: true,
  },
  kv_cache_gone: {
    http: 502,
    grpc: status.FAILED_PRECONDITION,
    type: 'server_error',
    fault: 'upstream',
    level: 'warn',
    retryable: true,
  },
  kv_transfer_failed: {
    http: 502,
    grpc: status.ABORTED,
    type: 'server_error',
    fault: 'upstream',
    level: 'warn',
    retryable: true,
  },
  worker_unavailable: {
    http: 502,
    grpc: status.UNAVAILABLE,
    type: 'server_error',
    fault: 'upstream',
    level: 'warn',
    retryable: true,
  },
  no_instance: {
    http: 503,
    grpc: status.UNAVAILABLE,
    type: 'server_error',
    fault: 'us',
    level: 'warn',
    retryable: true,
  },
  deadline_exceeded: {
    http: 504,
    grpc: status.DEADLINE_EXCEEDED,
    type: 'timeout_error',
    fault: 'us',
    level: 'warn',
    retryable: false,
  },
  internal: {
    http: 500,
    grpc: status.INTERNAL,
    type: 'server_error',
    fault: 'us',
    level: 'error',
    retryable: true,
  },
} as const satisfies Record<string, ErrorKind>;

/** The codes of {@link ERRORS}. */
export type ErrorCode = keyof typeof ERRORS;

/** An error with a place in {@link ERRORS}. Its message is shown to the client: it says what to change, and holds no secret. */
export class RoostError extends Error {
  override readonly name = 'RoostError';
  /** The request field at fault, or null. */
  readonly param: string | null;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: { param?: string | null; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.param = options.param ?? null;
  }

  get kind(): ErrorKind {
    return ERRORS[this.code];
  }
}

/** Whether `text` is a code of {@link ERRORS}. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(ERRORS, text);
}
