/** Short words, each of which is one token behind a space in the vocabularies of common models. */
const WORDS =
  'time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work government number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city community name president team minute idea kid body information back parent face others level office door health person art war history party result change morning reason research girl guy moment air teacher force education foot boy age policy music market sense nation plan college interest death experience effect use class control care field development role effort rate heart drug show leader light voice wife police mind price report decision son view relationship town road arm difference value building action season society tax director position player record paper space ground form event official matter center couple site project activity star table need court oil situation cost industry figure street image phone data picture practice piece land product doctor wall patient worker news test movie north love support technology step baby computer type attention film tree source organization hair window culture chance brother energy period course summer plant opportunity term letter condition choice rule south husband floor campaign material population call economy hospital church risk fire future bank'.split(
    ' ',
  );

/** One of the words; equal numbers from 0 have equal ones. */
export function wordOf(number: number): string {
  return WORDS[number % WORDS.length] ?? '';
}

/** Words that say which block it is: enough for more than two billion. */
const NUMBER_WORDS = 4;

/** The fewest words that a block can have. */
export const LEAST_WORDS = NUMBER_WORDS + 1;

/**
 * Makes the texts of blocks: equal numbers have equal texts, different ones differ in their first words, so that tokens
 * are shared exactly where blocks are.
 */
export class BlockTexts {
  /** @param wordsPerBlock at least LEAST_WORDS; about as many tokens */
  constructor(private readonly wordsPerBlock: number) {
    if (!Number.isSafeInteger(wordsPerBlock) || wordsPerBlock < LEAST_WORDS)
      throw new RangeError(`a block has at least ${String(LEAST_WORDS)} words, not ${String(wordsPerBlock)}`);
  }

  /** The text of a prompt of these blocks. */
  textOf(blocks: Uint32Array): string {
    let text = '';
    for (const block of blocks) text += this.#textOfBlock(block);
    return text;
  }

  #textOfBlock(block: number): string {
    let text = '';
    let rest = block;
    for (let index = 0; index < this.wordsPerBlock; index += 1) {
      if (index === NUMBER_WORDS) rest = block;
      text += ` ${wordOf(rest)}`;
      rest = index < NUMBER_WORDS ? Math.floor(rest / WORDS.length) : (rest * 31 + 7) % 65_521;
    }
    return text;
  }
}
