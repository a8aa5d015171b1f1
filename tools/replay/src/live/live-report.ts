import type { ByClass, ClassReport } from '@roost/replay';

/** What a live replay has measured. */
export interface LiveReport {
  readonly model: string;
  readonly classes: ByClass<ClassReport>;
  readonly sent: number;
  /** Requests that failed, by what was said of them. */
  readonly failed: Readonly<Record<string, number>>;
  /** Milliseconds. */
  readonly wallTime: number;
}
