import { CliError } from '../cli-error.js';
import { messageOfLine } from '../output/log-line.js';

import { type ChildSpec, describeExit, type RunningChild, type StartChild } from './child.js';
import type { Clock } from './clock.js';
import { type RestartLimits, RestartPolicy } from './restart-policy.js';

/** A child that is kept running. */
export interface SupervisedSpec extends ChildSpec {
  /** Resolves when the child can serve; rejects with the signal's reason when the signal is aborted. */
  waitUntilReady(signal: AbortSignal): Promise<void>;
  /** Children of a lower number are stopped first; those of one number together. */
  readonly stopOrder: number;
}

/** What happens to children, for whoever tells the user. */
export interface SupervisionEvents {
  line(name: string, line: string): void;
  ready(name: string, milliseconds: number): void;
  died(name: string, how: string, restartInMilliseconds: number): void;
}

/** Limits in milliseconds. */
export interface SupervisionLimits {
  /** For a child to become ready. */
  readonly start: number;
  /** For the children of one stop order to end before they are killed. */
  readonly stop: number;
  readonly restart: RestartLimits;
}

/** What the supervision stands on. */
export interface Supervision {
  readonly start: StartChild;
  readonly clock: Clock;
  readonly events: SupervisionEvents;
  readonly limits: SupervisionLimits;
}

const stopped = new Error('the supervision was stopped');

/** Keeps children running: starts them, waits until they are ready, starts again those that die. */
export class Supervisor {
  private readonly running = new Map<RunningChild, SupervisedSpec>();
  private readonly stopping = new AbortController();
  private readonly failure = Promise.withResolvers<never>();

  constructor(private readonly supervision: Supervision) {
    // Whoever never asks for the failure must not be ended by it.
    this.failure.promise.catch(() => undefined);
  }

  /** Rejects with a CliError when a child is given up after it had been ready. Never resolves. */
  get failed(): Promise<never> {
    return this.failure.promise;
  }

  /**
   * Starts all children at once and resolves when each is ready; from then on they are kept running.
   *
   * @throws CliError when one ends, or is not ready in time, before that
   */
  async launch(specs: readonly SupervisedSpec[]): Promise<void> {
    const lives = specs.map((spec) => this.begin(spec));
    await Promise.all(lives.map((life) => this.becomeReady(life)));
    for (const life of lives)
      this.keepRunning(life).catch((error: unknown) => {
        this.failure.reject(error);
      });
  }

  /** Ends all children in their order, each first by SIGTERM and after the limit by SIGKILL. Nothing is restarted any more. */
  async stop(): Promise<void> {
    this.stopping.abort(stopped);
    const orders = new Set([...this.running.values()].map(({ stopOrder }) => stopOrder));
    for (const order of [...orders].sort((a, b) => a - b))
      await this.stopTogether([...this.running].filter(([, spec]) => spec.stopOrder === order).map(([child]) => child));
  }

  /** Ends all children at once, without asking them. */
  kill(): void {
    this.stopping.abort(stopped);
    for (const child of this.running.keys()) child.kill();
  }

  private begin(spec: SupervisedSpec): Life {
    this.stopping.signal.throwIfAborted();
    const { clock, events, start } = this.supervision;
    const life = { spec, startedAt: clock.now(), lastWords: '' };
    const child = start(spec, (line) => {
      life.lastWords = messageOfLine(line) || life.lastWords;
      events.line(spec.name, line);
    });
    this.running.set(child, spec);
    void child.exited.then(() => this.running.delete(child));
    return Object.assign(life, { child });
  }

  private async becomeReady(life: Life): Promise<void> {
    const { clock, events, limits } = this.supervision;
    const { child, spec, startedAt } = life;
    const settled = new AbortController();
    const signal = AbortSignal.any([settled.signal, this.stopping.signal]);
    const death = child.exited.then((exit) => {
      throw new CliError(`${spec.name} ${describeExit(exit)} before it was ready${because(life)}`);
    });
    const lateness = clock.delay(limits.start, signal).then(() => {
      const seconds = String(limits.start / 1000);
      throw new CliError(`${spec.name} was not ready after ${seconds} s${because(life)}`);
    });
    try {
      await Promise.race([spec.waitUntilReady(signal), death, lateness]);
      events.ready(spec.name, clock.now() - startedAt);
    } finally {
      settled.abort(stopped);
      for (const loser of [death, lateness]) loser.catch(() => undefined);
    }
  }

  private async keepRunning(first: Life): Promise<void> {
    const { clock, events, limits } = this.supervision;
    const policy = new RestartPolicy(limits.restart);
    for (let life = first; ; life = this.restart(life.spec)) {
      const exit = await life.child.exited;
      if (this.isStopping()) return;
      const { name } = life.spec;
      const how = describeExit(exit) + because(life);
      const decision = policy.onDeath(clock.now() - life.startedAt);
      if (decision.kind === 'give-up')
        throw new CliError(
          `${name} ${how}; it ended ${String(decision.quickDeaths)} times in a row soon after its start, so it is given up`,
        );
      events.died(name, how, decision.delay);
      await clock.delay(decision.delay, this.stopping.signal).catch(() => undefined);
      if (this.isStopping()) return;
    }
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private restart(spec: SupervisedSpec): Life {
    const life = this.begin(spec);
    // A child that does not become ready is ended, and counts as one more death.
    this.becomeReady(life).catch(() => life.child.kill());
    return life;
  }

  private async stopTogether(children: readonly RunningChild[]): Promise<void> {
    for (const child of children) child.terminate();
    const done = new AbortController();
    const { clock, limits } = this.supervision;
    const deadline = clock.delay(limits.stop, done.signal).then(
      () => {
        for (const child of children) child.kill();
      },
      () => undefined,
    );
    await Promise.all(children.map((child) => child.exited));
    done.abort(stopped);
    await deadline;
  }
}

/** One life of a child. */
interface Life {
  readonly spec: SupervisedSpec;
  readonly child: RunningChild;
  readonly startedAt: number;
  /** The last message that it wrote, which is usually why it ended. */
  readonly lastWords: string;
}

function because({ lastWords }: Life): string {
  return lastWords === '' ? '' : `: ${lastWords}`;
}
