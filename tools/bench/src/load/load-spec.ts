/** Whom a load is put on. */
export type LoadTarget =
  | { readonly kind: 'http'; readonly port: number }
  /** The workers of a fleet each, called as an edge calls them, with nothing between; `context` null: served whole. */
  | { readonly kind: 'grpc'; readonly context: number | null; readonly generation: number };

/** A closed loop of clients. */
export interface LoadSpec {
  readonly target: LoadTarget;
  readonly body: 'small' | '250 KB';
  readonly stream: boolean;
  /** Tokens of an answer. */
  readonly tokens: number;
  readonly clients: number;
  readonly seconds: number;
  /** Time over which clients begin one after the other; none: all at once. */
  readonly rampSeconds?: number;
}

/** What the clients saw. Latencies are milliseconds; those of no request are NaN. */
export interface LoadFigures {
  readonly requests: number;
  /** From the first request's beginning to the last one's end. */
  readonly seconds: number;
  readonly tokens: number;
  readonly errors: number;
  readonly firstError: string | null;
  readonly p50: number;
  readonly p99: number;
  /** To the first token of a stream. */
  readonly firstTokenP50: number;
  readonly firstTokenP99: number;
}

/** The model that all mock workers serve. */
export const MODEL = 'mock';

/** What every mock worker says for a token. */
export const TOKEN_TEXT = ' tok';
