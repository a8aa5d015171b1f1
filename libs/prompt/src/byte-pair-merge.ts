import { tokenForBytes } from './vocabulary.js';

const NEVER = 0x7fff_ffff;

/**
 * Encodes one piece of text by byte pair encoding: the neighbours that form the lowest token are merged, leftmost first,
 * until none form one. Takes time quadratic in the piece's length.
 *
 * @param bytes a string of one character a byte
 */
export function bytePairMerge(bytes: string): number[] {
  let parts = bytes.length;
  // Part i is bytes [starts[i], starts[i + 1]); ranks[i] is the token that it would form with part i + 1.
  const starts = Uint16Array.from({ length: parts + 1 }, (_, index) => index);
  const rankAt = (part: number): number =>
    part + 1 < parts ? (tokenForBytes(bytes.slice(starts[part], starts[part + 2])) ?? NEVER) : NEVER;
  const ranks = Int32Array.from({ length: parts }, (_, part) => rankAt(part));
  for (;;) {
    const part = lowest(ranks, parts);
    if (ranks[part] === NEVER) break;
    starts.copyWithin(part + 1, part + 2, parts + 1);
    ranks.copyWithin(part + 1, part + 2, parts);
    parts -= 1;
    ranks[part] = rankAt(part);
    if (part > 0) ranks[part - 1] = rankAt(part - 1);
  }
  return Array.from({ length: parts }, (_, part) => single(bytes.slice(starts[part], starts[part + 1])));
}

function lowest(ranks: Int32Array, parts: number): number {
  let best = 0;
  let rank = ranks[0] ?? NEVER;
  for (let part = 1; part < parts; part += 1) {
    const candidate = ranks[part] ?? NEVER;
    if (candidate < rank) {
      rank = candidate;
      best = part;
    }
  }
  return best;
}

function single(bytes: string): number {
  const token = tokenForBytes(bytes);
  if (token === undefined) throw new Error('a byte has no token');
  return token;
}
