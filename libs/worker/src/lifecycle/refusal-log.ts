import type { ProofRefusal } from '@roost/affinity-auth/guards';

/** Milliseconds between two lines at least: whoever has the wrong key may have many requests. */
const PAUSE_MS = 10_000;

/** Says in the log that calls are refused for want of a proof, without a line for each. */
export class RefusalLog {
  private lastLineAt = -Infinity;
  private unsaid = 0;

  /** @param now a monotonic clock in milliseconds */
  constructor(
    private readonly warn: (fields: object, message: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes note of a refused call. */
  note({ proof, reason }: ProofRefusal): void {
    this.unsaid += 1;
    if (this.now() - this.lastLineAt < PAUSE_MS) return;
    const calls = this.unsaid;
    this.unsaid = 0;
    this.lastLineAt = this.now();
    this.warn({ proof, reason, calls }, 'calls were refused: edge and worker need the same internal_request_auth_key');
  }
}
