import { CL100K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';

import { bytePairMerge } from './byte-pair-merge.js';
import { isHighSurrogate } from './pages.js';
import { toByteString, tokenForText } from './vocabulary.js';

/** The longest piece that is merged as a whole, in UTF-16 units. */
export const MAX_PIECE = 64;

/**
 * The tokens of a text in the encoding `cl100k_base`, to the token, but for words, blanks or symbols that go on for more
 * than {@link MAX_PIECE} units without a break: those are cut at every multiple of it, which bounds the time that hostile
 * input can take. Nothing in a text is taken for a control token.
 */
export function encodeText(text: string): number[] {
  const tokens: number[] = [];
  for (const [piece] of text.matchAll(CL100K_TOKEN_SPLIT_REGEX)) {
    if (piece.length <= MAX_PIECE) encodePiece(piece, tokens);
    else for (const part of cut(piece)) encodePiece(part, tokens);
  }
  return tokens;
}

function encodePiece(piece: string, tokens: number[]): void {
  const token = tokenForText(piece);
  if (token === undefined) tokens.push(...bytePairMerge(toByteString(piece)));
  else tokens.push(token);
}

function* cut(piece: string): Generator<string> {
  let start = 0;
  while (start < piece.length) {
    const end = start + MAX_PIECE;
    // A surrogate pair cut in two would become two replacement characters.
    const whole = isHighSurrogate(piece.charCodeAt(end - 1)) ? end - 1 : end;
    yield piece.slice(start, whole);
    start = whole;
  }
}
