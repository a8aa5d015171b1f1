export * from './version.js';
export * from './errors.js';
export * from './headers.js';
export * from './opaque-state.js';
export * from './request-id.js';
export * from './token-ids.js';
export { GENERATE, PREFILL, RELEASE, TOKENIZE } from './leg-methods.js';
export * from './package-definition.js';
export * from './generated/roost/worker/v1/worker.js';
