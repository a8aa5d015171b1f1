import { TOKENS_PER_BLOCK } from '../trace/trace-row.js';

import type { BlockSource } from './growing-prompt.js';

/** Beginnings of prompts that several agents have in common, each under a name. */
export class SharedBlocks {
  readonly #byName = new Map<string, readonly number[]>();

  constructor(private readonly source: BlockSource) {}

  /**
   * The blocks of a name, behind those of another beginning.
   *
   * @param makeTokens their length, asked for when the name is new, and rounded to whole blocks
   */
  behind(beginning: readonly number[], name: string, makeTokens: () => number): readonly number[] {
    const known =
      this.#byName.get(name) ?? beginning.concat(this.source.take(Math.round(makeTokens() / TOKENS_PER_BLOCK)));
    this.#byName.set(name, known);
    return known;
  }
}
