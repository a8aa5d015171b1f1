import { type BlockIds, TOKENS_PER_BLOCK, type TraceRow } from '../trace/trace-row.js';

/** Gives out block ids, each once. */
export class BlockSource {
  #next = 0;

  /** So many new ids. */
  take(count: number): readonly number[] {
    const first = this.#next;
    this.#next += count;
    return Array.from({ length: count }, (_, index) => first + index);
  }
}

/** The prompt of an agent, which grows from request to request, and now and then begins anew. */
export class GrowingPrompt {
  #ids: readonly number[];
  #tokens: number;
  #told: readonly number[] = [];

  /** Begins with whole blocks that are there already. */
  constructor(
    private readonly source: BlockSource,
    beginning: readonly number[],
  ) {
    this.#ids = beginning;
    this.#tokens = beginning.length * TOKENS_PER_BLOCK;
  }

  get tokens(): number {
    return this.#tokens;
  }

  /** All full blocks. */
  get blocks(): readonly number[] {
    return this.#ids;
  }

  /** Adds tokens that nobody else has. */
  grow(tokens: number): void {
    this.#tokens += tokens;
    this.#ids = this.#ids.concat(this.source.take(Math.floor(this.#tokens / TOKENS_PER_BLOCK) - this.#ids.length));
  }

  /** Begins anew with whole blocks. */
  restart(beginning: readonly number[]): void {
    this.#ids = beginning;
    this.#tokens = beginning.length * TOKENS_PER_BLOCK;
  }

  /** The prompt as a row tells it: by what has changed since the row before. */
  tell(): Pick<TraceRow, 'in' | 'keep' | 'new'> {
    const told = this.#told;
    const changed = this.#ids.findIndex((id, at) => told[at] !== id);
    const keep = changed === -1 ? this.#ids.length : changed;
    this.#told = this.#ids;
    return { in: this.#tokens, keep, new: inRanges(this.#ids.slice(keep)) };
  }
}

function inRanges(ids: readonly number[]): BlockIds[] {
  const ranges: [start: number, count: number][] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last !== undefined && last[0] + last[1] === id) last[1] += 1;
    else ranges.push([id, 1]);
  }
  return ranges;
}
