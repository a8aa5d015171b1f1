import type { LlamaSequence } from '../runtime/node-llama-cpp.js';

import type { SlotView } from './choose-slot.js';
import type { SlotTokens } from './slot-tokens.js';

/** One sequence of a rank's context: what it holds, for whom, and whether it may be touched. */
export class Slot implements SlotView {
  conversationId: string | null = null;
  lastUsed = 0;
  /** Whether a request has it. */
  taken = false;
  /** Operations of the library that are going on in it. */
  private pins = 0;

  constructor(
    readonly sequence: LlamaSequence,
    readonly tokens: SlotTokens,
    /** Called when the last operation has ended. */
    private readonly onIdle: () => void,
  ) {}

  get length(): number {
    return this.tokens.length;
  }

  get isFree(): boolean {
    return !this.taken && this.pins === 0;
  }

  /** Runs an operation, for the time of which nobody else gets the sequence. */
  async during<T>(operation: () => Promise<T>): Promise<T> {
    this.pins += 1;
    try {
      return await operation();
    } finally {
      this.pins -= 1;
      if (this.pins === 0) this.onIdle();
    }
  }

  /** Empties it, for another salt. */
  async clear(salt: string | undefined): Promise<void> {
    this.tokens.reset(salt);
    await this.sequence.clearHistory();
  }

  /** Cuts its end off. */
  async cut(length: number): Promise<void> {
    const end = this.sequence.nextTokenIndex;
    this.tokens.truncate(length);
    if (end > length) await this.sequence.eraseContextTokenRanges([{ start: length, end }]);
  }

  /** Writes what it holds to a file, and gives the file's size in bytes. */
  async save(file: string): Promise<number> {
    return (await this.sequence.saveStateToFile(file)).fileSize;
  }

  /** Reads the state of some tokens into the empty sequence; it is empty again when that fails. */
  async load(file: string, tokens: Uint32Array): Promise<void> {
    try {
      await this.sequence.loadStateFromFile(file, { acceptRisk: true });
      this.tokens.append(tokens);
    } catch (error) {
      await this.clear(undefined);
      throw error;
    }
  }
}
