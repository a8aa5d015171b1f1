import type { RankState } from '@roost/engine';

import type { StateFiles } from '../kv/state-files.js';
import type { EvaluateItem, LlamaContext } from '../runtime/node-llama-cpp.js';
import type { Sampler } from '../sampling.js';

import type { SlotChoice } from './choose-slot.js';
import { planSteps } from './plan-steps.js';
import { rankStateOf } from './rank-state.js';
import { Sequences, type SequencesOptions } from './sequences.js';
import type { Slot } from './slot.js';
import type { Work, WorkWatcher } from './work.js';

/** What a rank is made from. */
export interface RankOptions extends SequencesOptions {
  readonly maxBatchSize: number;
  readonly batchTokens: number;
  readonly contextSize: number;
  readonly isEnd: (token: number) => boolean;
  /** The end of an iteration, or a request that leaves the rank. */
  readonly onChange: () => void;
}

/** How a request goes on. */
export interface Continuation {
  readonly generated: readonly number[];
  readonly sampler: Sampler;
  readonly maxTokens: number;
  readonly watcher: WorkWatcher;
}

/** One rank: a context's sequences, the queue before them, and iterations over all that is being computed. */
export class Rank {
  readonly sequences: Sequences;
  private readonly works = new Set<Work>();
  private running = false;
  private woken = false;

  constructor(
    context: LlamaContext,
    files: StateFiles,
    private readonly options: RankOptions,
  ) {
    this.sequences = new Sequences(context, files, options, () => {
      this.wake();
    });
  }

  /** Puts a new request at the end of the queue. */
  submit(work: Work): void {
    this.works.add(work);
    this.wake();
  }

  /** Reads a state into an importing request's sequence; it is held from then on. */
  async load(work: Work, file: string): Promise<void> {
    const { slot } = work;
    if (slot === null || work.phase !== 'importing') throw new Error('the room for the cache is gone');
    await slot.during(() => slot.load(file, work.prompt));
    this.advanceTo(work, 'held');
  }

  /**
   * Writes a request's state to a file, and gives its size in bytes.
   *
   * @throws Error when the request is gone
   */
  async save(work: Work, file: string): Promise<number> {
    const { slot } = work;
    if (slot === null || work.phase === 'gone') throw new Error('the KV cache was released while it was read');
    return await slot.during(() => slot.save(file));
  }

  /**
   * Continues a held request after the answer tokens that are known.
   *
   * @throws RangeError when fewer are given than lie in the cache already
   */
  decode(work: Work, { generated, sampler, maxTokens, watcher }: Continuation): void {
    if (work.phase !== 'held') throw new Error(`a handle that is ${work.phase} cannot be decoded from`);
    if (work.prompt.length + generated.length < work.computedTokens) {
      throw new RangeError(`${String(generated.length)} answer tokens were given, but more are computed`);
    }
    Object.assign(work, { generated, sampler, maxTokens, watcher, phase: 'computing' });
    this.wake();
  }

  /** Stops a request that `watcher` watches, if it is computing still; it is held as far as it has come. */
  pause(work: Work, watcher: WorkWatcher): void {
    if (work.phase !== 'computing' || work.watcher !== watcher) return;
    this.advanceTo(work, 'held');
  }

  /** Frees all that a request has; its sequence stays cached. Idempotent. */
  remove(work: Work): void {
    if (work.phase === 'gone') return;
    const { slot, watcher, phase } = work;
    work.phase = 'gone';
    this.works.delete(work);
    if (slot !== null) this.sequences.giveBack(slot);
    if (phase === 'computing') watcher.removed?.();
    this.wake();
    this.options.onChange();
  }

  /** Frees everything. */
  clear(): void {
    for (const work of this.works) this.remove(work);
  }

  /** What the rank holds, but for its number. */
  get state(): Omit<RankState, 'rank'> {
    const { contextSize, tokensPerBlock } = this.options;
    return rankStateOf({ works: [...this.works], slots: this.sequences.slots, contextSize, tokensPerBlock });
  }

  private advanceTo(work: Work, phase: 'held'): void {
    if (work.phase === 'gone') return;
    work.phase = phase;
    work.maxTokens = null;
    this.options.onChange();
  }

  /** Says that there may be something to do. */
  private wake(): void {
    this.woken = true;
    if (this.running) return;
    this.running = true;
    queueMicrotask(() => void this.run());
  }

  private async run(): Promise<void> {
    for (;;) {
      this.woken = false;
      await this.admit();
      await this.reopen();
      const computing = [...this.works].filter((work) => work.phase === 'computing' && work.pendingTokens > 0);
      const steps = planSteps(computing, this.options.batchTokens);
      if (steps.length === 0) {
        // Something may have come while sequences were made ready.
        if (this.wasWoken()) continue;
        break;
      }
      await Promise.all(steps.map(({ item, numTokens }) => this.compute(item, numTokens)));
      this.options.onChange();
    }
    this.running = false;
  }

  private wasWoken(): boolean {
    return this.woken;
  }

  /** Gives sequences to waiting requests, strictly in order of arrival. */
  private async admit(): Promise<void> {
    for (const work of this.works) {
      if (work.phase !== 'waiting') continue;
      const computing = [...this.works].filter(({ phase }) => phase === 'computing').length;
      if (work.kind === 'prefill' && computing >= this.options.maxBatchSize) return;
      const choice = this.sequences.choose(work);
      if (choice === null) return;
      await this.settle(work, choice).catch((error: unknown) => {
        this.fail(work, error);
      });
    }
  }

  /** A request whose tokens are all computed, but whose next one is not known, computes its last token again. */
  private async reopen(): Promise<void> {
    for (const work of this.works) {
      const { slot } = work;
      if (work.phase !== 'computing' || work.pendingTokens > 0 || slot === null) continue;
      await slot
        .during(() => slot.cut(slot.length - 1))
        .catch((error: unknown) => {
          this.fail(work, error);
        });
    }
  }

  private async settle(work: Work, choice: SlotChoice<Slot>): Promise<void> {
    await this.sequences.give(work, choice);
    // It may have been removed meanwhile.
    if (!this.works.has(work)) return;
    work.cachedTokens = choice.slot.length;
    work.phase = work.kind === 'import' ? 'importing' : 'computing';
    work.watcher.admitted?.();
  }

  private async compute(work: Work, numTokens: number): Promise<void> {
    const { slot, watcher } = work;
    if (slot === null) return;
    const tokens = work.nextTokens(numTokens);
    const samples = work.pendingTokens === numTokens;
    const input: EvaluateItem[] = [...tokens];
    if (samples) {
      const options = work.sampler.optionsAt(work.generated.length);
      input[input.length - 1] = [tokens.at(-1) ?? 0, { generateNext: { token: true, options } }];
    }
    try {
      const output = await slot.during(async () => {
        const results = await slot.sequence.controlledEvaluate(input);
        slot.tokens.append(tokens);
        return results;
      });
      // Removed or paused while it was computed, or gone on with from elsewhere.
      if (!samples || work.phase !== 'computing' || work.watcher !== watcher) return;
      this.sampled(work, output.at(-1)?.next.token ?? null);
    } catch (error) {
      await slot.during(() => slot.clear(undefined)).catch(() => undefined);
      this.fail(work, error);
    }
  }

  private sampled(work: Work, sampled: number | null): void {
    const { watcher, maxTokens, sampler } = work;
    const ends = sampled !== null && !sampler.ignoresEnds && this.options.isEnd(sampled);
    const token = ends ? null : sampled;
    let done = maxTokens === null || token === null;
    if (maxTokens !== null && token !== null) {
      work.generated = [...work.generated, token];
      done = work.generated.length >= maxTokens;
    }
    if (done) this.advanceTo(work, 'held');
    watcher.progressed?.(token, done);
  }

  private fail(work: Work, error: unknown): void {
    if (work.phase === 'gone') return;
    const { watcher } = work;
    this.remove(work);
    watcher.failed(error);
  }
}
