import { NO_SPAN, type Span, type SpanStart } from './span.js';

/** Reads one field of what came with a call; undefined where it did not come. */
export type CarriedField = (field: string) => string | undefined;

/** Begins traces, or goes on with those that callers have begun. */
export interface Tracer {
  /** Whether anything is recorded at all. */
  readonly enabled: boolean;
  /** Begins the step that answers a call. */
  begin(name: string, carried: CarriedField, start?: SpanStart): Span;
  /** Sends what has not been sent, and ends. Gives up after a few seconds. */
  close(): Promise<void>;
}

/** The Nest token of the {@link Tracer}. */
export const TRACER = Symbol('TRACER');

/** Records nothing, and costs nothing. */
export const NO_TRACER: Tracer = { enabled: false, begin: () => NO_SPAN, close: () => Promise.resolve() };

/** Where traces go, and as whose. */
export interface TracerOptions {
  /** URL of an OTLP/HTTP collector; without a path, `/v1/traces` is added. Null: nothing is recorded. */
  readonly endpoint: string | null;
  /** `service.name`, e.g. `roost-edge`. */
  readonly service: string;
  readonly version: string;
  /** Told how many spans the collector did not take. */
  readonly lost: (spans: number) => void;
}
