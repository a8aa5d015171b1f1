export { CONTROL, decodeTokens, VOCABULARY_SIZE } from './vocabulary.js';
export * from './encode-text.js';
export type * from './segment.js';
export * from './prompt-encoder.js';
export * from './invalid-prompt.js';
export * from './render-chat.js';
export * from './text-stream.js';
export * from './stop-scanner.js';
export * from './answer-text.js';
