import type { StateFiles } from '../kv/state-files.js';
import type { LlamaContext, LlamaSequence } from '../runtime/node-llama-cpp.js';

import { BlockCensus, type CensusEvent } from './block-census.js';
import { chooseRoom, chooseSlot, type SlotChoice } from './choose-slot.js';
import { SlotTokens } from './slot-tokens.js';
import { Slot } from './slot.js';
import type { Work } from './work.js';

/** How a rank's sequences are used. */
export interface SequencesOptions {
  readonly sequences: number;
  readonly tokensPerBlock: number;
  readonly reuse: boolean;
  readonly onBlockEvent: (event: CensusEvent) => void;
}

/**
 * The sequences of one rank's context: which of them a request gets, and making it hold what is reused and nothing else. To
 * be called between iterations only.
 */
export class Sequences {
  readonly slots: readonly Slot[];
  private readonly census: BlockCensus;
  private uses = 0;

  /** @param onIdle called when the last operation in a sequence has ended */
  constructor(
    context: LlamaContext,
    private readonly files: StateFiles,
    private readonly options: SequencesOptions,
    onIdle: () => void,
  ) {
    this.census = new BlockCensus(options.onBlockEvent);
    const makeSlot = (): Slot =>
      new Slot(context.getSequence(), new SlotTokens(options.tokensPerBlock, this.census), onIdle);
    this.slots = Array.from({ length: options.sequences }, makeSlot);
  }

  /** Runs a measurement in a sequence of the idle rank, which it must leave empty. */
  async measure<T>(measurement: (sequence: LlamaSequence) => Promise<T>): Promise<T> {
    const [slot] = this.slots;
    if (slot === undefined) throw new Error('the rank has no sequence');
    return await slot.during(() => measurement(slot.sequence));
  }

  /** Hashes of the blocks that can be reused. */
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

  /** How a request gets its sequence, or null while none is free. */
  choose({ kind, prompt, conversationId, cacheSalt }: Work): SlotChoice<Slot> | null {
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

  /**
   * Gives a request its sequence, at once, and makes it ready.
   *
   * @throws Error of the library; the request has the sequence all the same
   */
  async give(work: Work, choice: SlotChoice<Slot>): Promise<void> {
    const { slot } = choice;
    Object.assign(slot, { taken: true, conversationId: work.conversationId, lastUsed: ++this.uses });
    work.slot = slot;
    await slot.during(async () => {
      if (choice.kind === 'fork') await this.fork(choice, work);
      else if (choice.kind === 'continue') await slot.cut(choice.reused);
      else await slot.clear(work.cacheSalt);
    });
  }

  /** Takes a sequence back; what it holds stays cached. */
  giveBack(slot: Slot): void {
    slot.taken = false;
    slot.lastUsed = ++this.uses;
    if (!this.options.reuse) slot.tokens.reset(undefined);
  }

  private async fork({ slot, donor, reused }: SlotChoice<Slot> & { kind: 'fork' }, work: Work): Promise<void> {
    donor.lastUsed = ++this.uses;
    slot.tokens.reset(work.cacheSalt);
    try {
      await this.files.withFile(async (file) => {
        await donor.during(() => donor.save(file));
        await slot.sequence.loadStateFromFile(file, { acceptRisk: true });
      });
      await slot.cut(reused);
      slot.tokens.append(work.prompt.subarray(0, reused));
    } catch {
      // A full disk, for one: what cannot be copied is computed.
      await slot.clear(work.cacheSalt);
    }
  }
}
