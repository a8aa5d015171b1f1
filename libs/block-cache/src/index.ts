export * from './block-hash.js';
export * from './token-chain.js';
export type * from './block-event.js';
export * from './block-cache.js';
export type { BlockLease } from './block-lease.js';
