import { BLOCK_WORK } from './block-work.js';
import { INSTANCE_WORK } from './instance-work.js';
import { RANK_WORK } from './rank-work.js';
import type { Work } from './work.js';

/** Everything that is measured, in the order of the table. */
export const ALL_WORK: readonly Work[] = [...INSTANCE_WORK, ...RANK_WORK, ...BLOCK_WORK];
