import xxhash from 'xxhash-wasm';

const xxh = await xxhash();

/** The name of the hashing below, as engines report it. */
export const BLOCK_HASH_ALGORITHM = 'xxh64-chained';

/**
 * What the first block of a sequence has for a parent. Sequences with different salts share no block; no salt is a salt
 * of its own.
 */
export function rootHash(salt: string | undefined): bigint {
  return salt === undefined ? 0n : xxh.h64(salt);
}

/**
 * The hash of one full block: XXH64 of its token ids as little-endian 32-bit words, seeded with the parent's hash, so
 * that equal hashes mean equal prefixes. 64 bits tell blocks apart by chance, not against an attacker: tenants that do
 * not trust each other need different salts.
 */
export function blockHash(parent: bigint, tokens: Uint32Array): bigint {
  return xxh.h64Raw(new Uint8Array(tokens.buffer, tokens.byteOffset, tokens.byteLength), parent);
}

/** The hashes of the full blocks of `tokens`, first block first; the partial tail has none. */
export function blockHashes(tokens: Uint32Array, tokensPerBlock: number, salt?: string): bigint[] {
  const hashes: bigint[] = [];
  let parent = rootHash(salt);
  for (let end = tokensPerBlock; end <= tokens.length; end += tokensPerBlock) {
    parent = blockHash(parent, tokens.subarray(end - tokensPerBlock, end));
    hashes.push(parent);
  }
  return hashes;
}
