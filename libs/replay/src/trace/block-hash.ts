const ROUNDS = 4;

/**
 * A 64-bit hash for each block number below `count`, different for each and spread evenly: what the caches and indexes of
 * production, which know blocks by their hashes, are given for the blocks of a trace.
 */
export function hashesOfBlocks(count: number): readonly bigint[] {
  const words = new Uint32Array(2);
  const hash = new BigUint64Array(words.buffer);
  return Array.from({ length: count }, (_, number) => {
    let [low, high] = [number, 0];
    // A Feistel network can be run backwards, whatever `mix` is, so no two numbers end up alike.
    for (let round = 0; round < ROUNDS; round += 1) [low, high] = [high ^ mix(low + round), low];
    words.set([low, high]);
    return hash[0] ?? 0n;
  });
}

function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
