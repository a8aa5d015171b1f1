/** The most that lost time is made up for, in milliseconds: a long stall is not followed by a burst. */
const MAX_DEBT_MS = 100;

/**
 * Lines up durations one after another on a clock whose timers are coarse and late: each begins when the one before it
 * should have ended, so that rounding and lateness do not add up.
 */
export class Pacer {
  private end = Number.NEGATIVE_INFINITY;

  /** Says that something begins now, unless something still goes on. */
  begin(now: number): void {
    this.end = Math.max(this.end, now);
  }

  /** When the next duration ends, in the clock's milliseconds. */
  after(now: number, durationMs: number): number {
    this.end = Math.max(this.end, now - MAX_DEBT_MS) + durationMs;
    return this.end;
  }
}
