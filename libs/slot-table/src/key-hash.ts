import { randomBytes } from 'node:crypto';

/** A hash of its own for each caller: 32 bits, always the same for a key, and not to be foreseen from outside. */
export function makeKeyHash(): (key: string) => number {
  const seed = randomBytes(8);
  const [first, second] = [seed.readInt32LE(0), seed.readInt32LE(4)];
  return (key) => hashKey(key, first, second);
}

const FINAL_ROUNDS = 3;

/**
 * A 32-bit hash of the key's UTF-16 code units, of which without the seed nobody can make collisions: clients choose
 * the keys. HalfSipHash-1-3 (J.-P. Aumasson and D. J. Bernstein), with the length in the last word.
 */
export function hashKey(key: string, seed0: number, seed1: number): number {
  const { length } = key;
  const words = (length >> 1) + 1;
  let v0 = seed0;
  let v1 = seed1;
  let v2 = 0x6c796765 ^ v0;
  let v3 = 0x74656462 ^ v1;
  for (let round = 0; round < words + FINAL_ROUNDS; round++) {
    let word = 0;
    if (round < words - 1) word = key.charCodeAt(2 * round) | (key.charCodeAt(2 * round + 1) << 16);
    else if (round < words) word = (length << 24) | (length & 1 ? key.charCodeAt(length - 1) : 0);
    else if (round === words) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return v1 ^ v3;
}
