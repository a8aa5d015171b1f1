export { BytesBuilder } from './bytes-builder.js';
export { HeldBytes } from './held-bytes.js';
