import type { ClassReport, RequestClass } from '@roost/replay';

/** What a live replay has measured. */
export interface LiveReport {
  readonly model: string;
  readonly classes: Readonly<Record<RequestClass | 'total', ClassReport>>;
  readonly sent: number;
  /** Requests that failed, by what was said of them. */
  readonly failed: Readonly<Record<string, number>>;
  /** Milliseconds. */
  readonly wallTime: number;
}
