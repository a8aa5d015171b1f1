import type { RankState } from '@roost/engine';

import type { StateFiles } from '../kv/state-files.js';
import type { EvaluateItem, LlamaContext, LlamaSequence } from '../runtime/node-llama-cpp.js';
import type { Sampler } from '../sampling.js';

import { BlockCensus, type CensusEvent } from './block-census.js';
import { chooseRoom, chooseSlot, type SlotChoice } from './choose-slot.js';
import { planSteps } from './plan-steps.js';
import { SlotTokens } from './slot-tokens.js';
import { Slot } from './slot.js';
import type { Work, WorkWatcher } from './work.js';

/** What a rank is made from. */
export interface RankOptions {
  readonly sequences: number;
  readonly maxBatchSize: number;
  readonly batchTokens: number;
  readonly contextSize: number;
  readonly tokensPerBlock: number;
  readonly reuse: boolean;
  readonly isEnd: (token: number) => boolean;
  readonly onBlockEvent: (event: CensusEvent) => void;
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

/**
 * One rank: a context with a bounded number of sequences, the queue before it, and iterations over all that is being
 * computed. Sequences are chosen, copied and cut between iterations only.
 */
export class Rank {
  private readonly census: BlockCensus;
  private readonly slots: readonly Slot[];
  private readonly works = new Set<Work>();
  private running = false;
  private woken = false;
  private uses = 0;

  constructor(
    context: LlamaContext,
    private readonly files: StateFiles,
    private readonly options: RankOptions,
  ) {
    this.census = new BlockCensus(options.onBlockEvent);
    this.slots = Array.from(
      { length: options.sequences },
      () =>
        new Slot(context.getSequence(), new SlotTokens(options.tokensPerBlock, this.census), () => {
          this.wake();
        }),
    );
  }

  /** Runs a measurement in a sequence of the idle rank, which it must leave empty. */
  async measure<T>(measurement: (sequence: LlamaSequence) => Promise<T>): Promise<T> {
    const [slot] = this.slots;
    if (slot === undefined) throw new Error('the rank has no sequence');
    return await slot.during(() => measurement(slot.sequence));
  }

  /** Hashes of the blocks that the sequences hold. */
  get storedHashes(): readonly bigint[] {
    return this.options.reuse ? this.census.hashes : [];
  }

  /** Leading tokens of an unsalted prompt that a request would find here. */
  cachedTokens(prompt: Uint32Array): number {
    if (!this.options.reuse) return 0;
    const longest = Math.max(...this.slots.map(({ tokens }) => tokens.commonPrefix(prompt, undefined)));
    const reusable = Math.min(longest, prompt.length - 1);
    return reusable >= this.options.tokensPerBlock ? reusable : 0;
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
    await slot.during(async () => {
      try {
        await slot.sequence.loadStateFromFile(file, { acceptRisk: true });
        slot.tokens.append(work.prompt);
      } catch (error) {
        await slot.clear(undefined);
        throw error;
      }
    });
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
    return await slot.during(async () => (await slot.sequence.saveStateToFile(file)).fileSize);
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
    if (slot !== null) this.giveBack(slot);
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
    const works = [...this.works];
    const active = works.filter(({ phase }) => phase !== 'held');
    const blocksOf = (slots: readonly Slot[]): number =>
      slots.reduce((sum, { length }) => sum + Math.ceil(length / this.options.tokensPerBlock), 0);
    return {
      numActiveRequests: active.length,
      numActiveTokens: active.reduce((sum, { prompt }) => sum + prompt.length, 0),
      kvBlocksTotal: this.slots.length * Math.floor(this.options.contextSize / this.options.tokensPerBlock),
      kvBlocksPinned: blocksOf(this.slots.filter(({ taken }) => taken)),
      kvBlocksCached: blocksOf(this.slots.filter(({ taken }) => !taken)),
      numPendingPrefillTokens: active.reduce((sum, { pendingPromptTokens }) => sum + pendingPromptTokens, 0),
      numHeldHandoffs: works.length - active.length,
    };
  }

  private giveBack(slot: Slot): void {
    slot.taken = false;
    slot.lastUsed = ++this.uses;
    if (!this.options.reuse) slot.tokens.reset(undefined);
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
      const choice = this.choose(work);
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

  private choose({ kind, prompt, conversationId, cacheSalt }: Work): SlotChoice<Slot> | null {
    if (kind === 'import' || !this.options.reuse) {
      const slot = chooseRoom(this.slots, conversationId);
      return slot === null ? null : { kind: 'fresh', slot };
    }
    const shared = new Map(this.slots.map((slot) => [slot, slot.tokens.commonPrefix(prompt, cacheSalt)]));
    return chooseSlot(this.slots, {
      conversationId,
      // The last token is always computed: its output is what the first one is sampled from.
      shared: (slot) => Math.min(shared.get(slot) ?? 0, prompt.length - 1),
      leastFork: this.options.tokensPerBlock,
    });
  }

  /** Makes the sequence hold what is reused and nothing else. */
  private async settle(work: Work, choice: SlotChoice<Slot>): Promise<void> {
    const { slot } = choice;
    Object.assign(slot, { taken: true, conversationId: work.conversationId, lastUsed: ++this.uses });
    work.slot = slot;
    await slot.during(async () => {
      if (choice.kind === 'fork') await this.fork(choice, work);
      else if (choice.kind === 'continue') await slot.cut(choice.reused);
      else await slot.clear(work.cacheSalt);
    });
    // It may have been removed meanwhile.
    if (!this.works.has(work)) return;
    work.cachedTokens = slot.length;
    work.phase = work.kind === 'import' ? 'importing' : 'computing';
    work.watcher.admitted?.();
  }

  private async fork({ slot, donor, reused }: SlotChoice<Slot> & { kind: 'fork' }, work: Work): Promise<void> {
    donor.lastUsed = ++this.uses;
    slot.tokens.reset(work.cacheSalt);
    try {
      await this.files.withFile(async (file) => {
        await donor.during(() => donor.sequence.saveStateToFile(file));
        await slot.sequence.loadStateFromFile(file, { acceptRisk: true });
      });
      await slot.cut(reused);
      slot.tokens.append(work.prompt.subarray(0, reused));
    } catch {
      // A full disk, for one: what cannot be copied is computed.
      await slot.clear(work.cacheSalt);
    }
  }

  private async compute(work: Work, numTokens: number): Promise<void> {
    const { slot } = work;
    if (slot === null) return;
    const tokens = work.nextTokens(numTokens);
    const samples = work.pendingTokens === numTokens;
    const input: EvaluateItem[] = [...tokens];
    if (samples) {
      const options = work.sampler(work.generated.length);
      input[input.length - 1] = [tokens.at(-1) ?? 0, { generateNext: { token: true, options } }];
    }
    try {
      const output = await slot.during(async () => {
        const results = await slot.sequence.controlledEvaluate(input);
        slot.tokens.append(tokens);
        return results;
      });
      if (samples) this.sampled(work, output.at(-1)?.next.token ?? null);
    } catch (error) {
      await slot.during(() => slot.clear(undefined)).catch(() => undefined);
      this.fail(work, error);
    }
  }

  private sampled(work: Work, sampled: number | null): void {
    // Removed or paused while it was computed.
    if (work.phase !== 'computing') return;
    const token = sampled === null || this.options.isEnd(sampled) ? null : sampled;
    const { watcher, maxTokens } = work;
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
