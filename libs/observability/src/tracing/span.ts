/** What is said of a span; null says nothing. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | null>>;

/** How a span begins. */
export interface SpanStart {
  readonly attributes?: SpanAttributes;
  /** Whether it answers a call, makes one, or neither, which is the default. */
  readonly kind?: 'server' | 'client' | 'internal';
  /** On the clock of `performance.now()`; now where it is not given. */
  readonly at?: number;
}

/** One step in a request's trace. */
export interface Span {
  /** 32 hexadecimal digits; null when nothing is recorded of this request. */
  readonly traceId: string | null;
  /** Begins a step within this one. */
  child(name: string, start?: SpanStart): Span;
  set(attributes: SpanAttributes): void;
  /**
   * Ends the step, once.
   *
   * @param outcome `ok`, or the code of the error that it ended with
   * @param at on the clock of `performance.now()`; now where it is not given
   */
  end(outcome: string, at?: number): void;
  /** Gives the fields (W3C trace context) that a call carries so that its other side goes on with this trace. */
  carry(put: (field: string, value: string) => void): void;
}

/** The span of a request that nothing is recorded of. */
export const NO_SPAN: Span = {
  traceId: null,
  child: () => NO_SPAN,
  set: () => undefined,
  end: () => undefined,
  carry: () => undefined,
};
