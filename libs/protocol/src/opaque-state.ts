import { randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 16;
const LENGTH = 1 + 8 + NONCE_BYTES;

/**
 * What a held cache is asked for with; it names the request and cannot be guessed. The context worker makes it, or, when
 * both legs start together, the edge.
 */
export interface OpaqueState {
  readonly ctxRequestId: bigint;
  /** Hexadecimal. */
  readonly nonce: string;
}

/** A fresh state for a request. */
export function makeOpaqueState(ctxRequestId: bigint): OpaqueState {
  return { ctxRequestId, nonce: randomBytes(NONCE_BYTES).toString('hex') };
}

/** As it travels in `encoded_opaque_state`: base64 of version (1 byte), request id (8, big endian) and nonce (16). */
export function encodeOpaqueState(state: OpaqueState): string {
  const bytes = Buffer.alloc(LENGTH);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeBigUInt64BE(state.ctxRequestId, 1);
  bytes.write(state.nonce, 9, 'hex');
  return bytes.toString('base64');
}

/** Reads what {@link encodeOpaqueState} wrote; null for anything else. */
export function parseOpaqueState(text: string): OpaqueState | null {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== LENGTH || bytes.readUInt8(0) !== VERSION) return null;
  return { ctxRequestId: bytes.readBigUInt64BE(1), nonce: bytes.toString('hex', 9) };
}
