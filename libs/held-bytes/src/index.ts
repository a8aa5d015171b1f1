export { BytesBuilder } from './bytes-builder.js';
export { giveBack, keep } from './own-memory.js';
