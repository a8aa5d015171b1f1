import type { Clock } from './clock.js';
import { commitIteration, planIteration } from './core/iteration.js';
import { Pacer } from './core/pacer.js';
import type { Progress, Rank } from './core/rank.js';
import type { Sequence } from './core/sequence.js';
import { iterationMs, type TimeModel } from './core/time-model.js';

/** Who wants to know what an iteration has done. */
export interface EngineLoopListener {
  /** Sequences that got their room; the iteration has not begun yet. */
  admitted(sequences: readonly Sequence[]): void;
  /** The end of an iteration. */
  iterated(progress: readonly Progress[]): void;
  /** The loop cannot go on. */
  crashed(error: unknown): void;
}

/** Runs iterations while there is something to compute, and does nothing at all while there is not. */
export class EngineLoop {
  private readonly pacer = new Pacer();
  private running = false;

  constructor(
    private readonly ranks: readonly Rank[],
    private readonly timeModel: TimeModel,
    private readonly clock: Clock,
    private readonly listener: EngineLoopListener,
  ) {}

  /** Says that there may be something to do. What else comes in the same turn joins the same iteration. */
  wake(): void {
    if (this.running) return;
    this.running = true;
    queueMicrotask(() => {
      this.pacer.begin(this.clock.now());
      this.run().catch((error: unknown) => {
        this.listener.crashed(error);
      });
    });
  }

  private async run(): Promise<void> {
    for (;;) {
      const iteration = planIteration(this.ranks);
      this.running = !iteration.idle;
      this.listener.admitted(iteration.plans.flatMap((plan) => plan.admitted));
      if (iteration.idle) return;
      const duration = iterationMs(this.timeModel, iteration.plans);
      await this.clock.sleepUntil(this.pacer.after(this.clock.now(), duration));
      this.listener.iterated(commitIteration(this.ranks, iteration));
    }
  }
}
