import type { Placement } from '@roost/fleet-router';
import { NO_SPAN, type Span } from '@roost/observability';
import type { ErrorCode } from '@roost/protocol';

/** What an attempt came to: `unused` where the request needed it no more. */
export type AttemptOutcome = ErrorCode | 'ok' | 'unused';

/** How the fleet looked when an instance was chosen. */
export interface FleetView {
  /** By server, in the router's own unit. */
  readonly loads: ReadonlyMap<string, number>;
  /** Servers that could not be chosen. */
  readonly excluded: ReadonlySet<string>;
}

/** One attempt at a leg: where it went and why, and what came of it. Times are on the clock of `performance.now()`. */
export class LegAttempt {
  readonly placedAt = performance.now();
  span: Span = NO_SPAN;
  private ending: { outcome: AttemptOutcome; at: number } | null = null;

  /** @param view null where nobody wants to know */
  constructor(
    readonly leg: 'context' | 'generation',
    readonly server: string,
    readonly placement: Placement,
    readonly view: FleetView | null,
  ) {}

  /** `unused` until the attempt has ended. */
  get outcome(): AttemptOutcome {
    return this.ending?.outcome ?? 'unused';
  }

  /** Milliseconds from the choice of the instance to the end; null before. */
  get durationMs(): number | null {
    return this.ending === null ? null : this.ending.at - this.placedAt;
  }

  /** Says what came of it, once. */
  end(outcome: AttemptOutcome): void {
    if (this.ending !== null) return;
    this.ending = { outcome, at: performance.now() };
    this.span.end(outcome);
  }
}
