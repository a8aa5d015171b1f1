import type { Clock } from '../clock.js';
import { Pacer } from '../core/pacer.js';
import { type TimeModel, transferMs } from '../core/time-model.js';

/** One direction of a rank's link for KV caches: transfers share its bandwidth, chunk by chunk. */
export class KvLink {
  private readonly pacer = new Pacer();

  constructor(
    private readonly clock: Clock,
    private readonly timeModel: TimeModel,
  ) {}

  /** Says that a transfer begins. */
  open(): void {
    this.pacer.begin(this.clock.now());
  }

  /** Resolves when a chunk of so many bytes has gone over the link. */
  pass(bytes: number): Promise<void> {
    const duration = transferMs(this.timeModel, bytes);
    return this.clock.sleepUntil(this.pacer.after(this.clock.now(), duration));
  }
}
