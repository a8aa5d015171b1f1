import type { ReplayReport } from '@roost/replay';

/** What a policy made of a trace, and how long it took to find out. */
export interface TimedReport extends ReplayReport {
  /** Milliseconds. */
  readonly wallTime: number;
}
