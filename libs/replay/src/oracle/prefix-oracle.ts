/**
 * One cache of unlimited size (agent-traffic reference 3.2). Which requests it knows is for the caller to say. Its block
 * numbers stand for whole prefixes, as those of a trace do, and its time does not go back.
 */
export interface PrefixOracle {
  /** How many leading blocks of a prompt could be reused now, for each horizon. */
  sharedBlocks(blocks: Uint32Array, now: number): readonly number[];
  /** Takes the blocks of a request in, or if they are there, as used. */
  remember(blocks: Uint32Array, now: number): void;
}
