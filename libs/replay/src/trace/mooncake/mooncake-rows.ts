import { type Fields, isWhole } from '../fields.js';
import { promptDelta } from '../prompt-delta.js';
import { TraceError } from '../trace-error.js';
import { MOST_TOKENS, TOKENS_PER_BLOCK, type TraceRow } from '../trace-row.js';

/** Tokens a block in Mooncake's traces. */
const MOONCAKE_BLOCK = 512;
const BLOCKS_PER_BLOCK = MOONCAKE_BLOCK / TOKENS_PER_BLOCK;

/**
 * A first full block is a beginning that many share; only with more of them in common, a request is taken to continue
 * another.
 */
const LEAST_SHARED = 2;

/** Mooncake's blocks are numbered; beyond this, the numbers of ours inside would not be exact. */
const MOST_ID = Math.floor(Number.MAX_SAFE_INTEGER / BLOCKS_PER_BLOCK) - 1;

interface Conversation {
  readonly id: string;
  /** Milliseconds of the trace. */
  readonly start: number;
  seq: number;
  ids: readonly number[];
}

/**
 * Rows of Mooncake's request traces (`timestamp` in ms, `input_length`, `output_length`, `hash_ids` of 512 tokens), which
 * name no conversation: a request that begins with all full blocks of an earlier one, two at least, is taken to continue
 * it; of several the latest. Every conversation is a session of its own and starts when it was recorded.
 */
export class MooncakeRows {
  /** By the last full block of its latest request. */
  readonly #byTail = new Map<number, Conversation>();
  #count = 0;

  /** The row of a line. Throws a TraceError that names what is wrong with it. */
  next(fields: Fields): TraceRow {
    const at = fields.amount('timestamp');
    const inputTokens = fields.whole('input_length', 1, MOST_TOKENS);
    const blocks = fields.list('hash_ids', isId, 'a list of block ids');
    const expected = Math.ceil(inputTokens / MOONCAKE_BLOCK);
    if (blocks.length !== expected)
      throw new TraceError(
        fields.line,
        `hash_ids has ${String(blocks.length)} blocks, where a prompt of that length has ${String(expected)}`,
      );
    const conversation = this.#conversationOf(blocks, at);
    const ids = smallBlocks(blocks, Math.floor(inputTokens / TOKENS_PER_BLOCK));
    const delta = promptDelta(conversation.ids, ids);
    const row = {
      session: conversation.id,
      agent: 'main',
      parent: null,
      seq: conversation.seq,
      t: Math.max(0, at - conversation.start) / 1000,
      start: conversation.start / 1000,
      model: 'mooncake',
      in: inputTokens,
      out: fields.whole('output_length', 0, MOST_TOKENS),
      trigger: 'user' as const,
      ...delta,
      ids: 'global' as const,
    };
    this.#remember(conversation, blocks.slice(0, Math.floor(inputTokens / MOONCAKE_BLOCK)), ids);
    return row;
  }

  #conversationOf(blocks: readonly number[], at: number): Conversation {
    for (let index = blocks.length - 1; index >= LEAST_SHARED - 1; index -= 1) {
      const tail = blocks[index] ?? 0;
      const known = this.#byTail.get(tail);
      if (known === undefined) continue;
      this.#byTail.delete(tail);
      return known;
    }
    this.#count += 1;
    return { id: `conversation-${String(this.#count)}`, start: at, seq: 0, ids: [] };
  }

  #remember(conversation: Conversation, full: readonly number[], ids: readonly number[]): void {
    conversation.seq += 1;
    conversation.ids = ids;
    const tail = full.at(-1);
    if (tail !== undefined && full.length >= LEAST_SHARED) this.#byTail.set(tail, conversation);
  }
}

function smallBlocks(blocks: readonly number[], count: number): readonly number[] {
  return Array.from(
    { length: count },
    (_, index) => (blocks[Math.floor(index / BLOCKS_PER_BLOCK)] ?? 0) * BLOCKS_PER_BLOCK + (index % BLOCKS_PER_BLOCK),
  );
}

function isId(value: unknown): value is number {
  return isWhole(value, 0, MOST_ID);
}
