export type * from './job.js';
export type * from './kv.js';
export type * from './state.js';
export * from './engine.js';
export * from './errors.js';
export * from './live-jobs.js';
export * from './token-queue.js';
export * from './until-aborted.js';
