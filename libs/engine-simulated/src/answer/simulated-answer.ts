import { blockHash, rootHash } from '@roost/block-cache';
import { encodeText } from '@roost/prompt';

import { FORMS, WORDS, type WordKind } from './words.js';

const SEED = rootHash('simulated answer');
const MIN_SENTENCES = 5;
const SENTENCE_CHOICES = 16;

/**
 * The one answer to a prompt: sentences that read like English, ended by the model after some tens to a couple of hundred
 * tokens. It depends on the prompt's tokens alone, not on sampling, so that a request gives the same answer whichever
 * instances serve it and however often it is retried. Encoding any beginning of its text gives the tokens back.
 */
export class SimulatedAnswer {
  private readonly tokens: number[] = [];
  private readonly naturalSentences: number;
  private sentences = 0;
  private naturalLength = Number.POSITIVE_INFINITY;
  private state: number;

  constructor(prompt: Uint32Array) {
    this.state = Number(BigInt.asIntN(32, blockHash(SEED, prompt)));
    this.naturalSentences = MIN_SENTENCES + this.choose(SENTENCE_CHOICES);
  }

  /**
   * The token with an index, or null behind the end.
   *
   * @param ignoreEos goes on where the model would end
   */
  tokenAt(index: number, ignoreEos: boolean): number | null {
    while (this.tokens.length <= index) {
      if (!ignoreEos && this.sentences >= this.naturalSentences) break;
      this.addSentence();
    }
    if (!ignoreEos && index >= this.naturalLength) return null;
    return this.tokens[index] ?? null;
  }

  private addSentence(): void {
    for (const kind of this.pick(FORMS)) this.tokens.push(this.word(kind));
    this.sentences += 1;
    if (this.sentences === this.naturalSentences) {
      this.naturalLength = this.tokens.length;
    }
  }

  private word(kind: WordKind): number {
    const word = this.pick<string>(WORDS[kind]);
    const blank = kind === 'opening' && this.tokens.length > 0 ? ' ' : '';
    return onlyToken(blank + word);
  }

  private pick<Choice>(choices: readonly Choice[]): Choice {
    const choice = choices[this.choose(choices.length)];
    if (choice === undefined) throw new RangeError('nothing to choose from');
    return choice;
  }

  /** An integer below `limit`, from a 32-bit generator (splitmix32). */
  private choose(limit: number): number {
    this.state = (this.state + 0x9e3779b9) | 0;
    let mixed = this.state ^ (this.state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) % limit;
  }
}

const known = new Map<string, number>();

function onlyToken(word: string): number {
  const before = known.get(word);
  if (before !== undefined) return before;
  const [token, ...more] = encodeText(word);
  if (token === undefined || more.length > 0) {
    throw new Error(`"${word}" is not one token`);
  }
  known.set(word, token);
  return token;
}
