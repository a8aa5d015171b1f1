import { Buffer } from 'node:buffer';

/** Of a message as it travels in gRPC: whether it is compressed (1 byte), and its length (4, big endian). */
const PREFIX_BYTES = 5;

/** The prefix of a message of these parts. */
export function framePrefix(parts: readonly Uint8Array[]): Buffer {
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  prefix[0] = 0;
  prefix.writeUInt32BE(
    parts.reduce((length, part) => length + part.length, 0),
    1,
  );
  return prefix;
}

/** Takes messages out of the bytes that carry them, in whatever pieces those come. */
export class FrameReader {
  private pieces: Buffer[] = [];
  private length = 0;
  /** Bytes to wait for: of a prefix, or of a message with its prefix. */
  private wanted = PREFIX_BYTES;

  /** Whether a message has begun whose end has not come. */
  get isWithinMessage(): boolean {
    return this.length > 0;
  }

  /**
   * The messages that are complete with this piece; they share its memory where they can.
   *
   * @throws Error for a compressed message, which nobody has been told to send
   */
  push(piece: Buffer): Buffer[] {
    this.pieces.push(piece);
    this.length += piece.length;
    const messages: Buffer[] = [];
    if (this.length < this.wanted) return messages;
    let bytes = this.pieces.length === 1 ? piece : Buffer.concat(this.pieces, this.length);
    for (let size = sizeOf(bytes); bytes.length >= size; size = sizeOf(bytes)) {
      messages.push(bytes.subarray(PREFIX_BYTES, size));
      bytes = bytes.subarray(size);
      if (bytes.length < PREFIX_BYTES) break;
    }
    this.pieces = bytes.length === 0 ? [] : [bytes];
    this.length = bytes.length;
    this.wanted = bytes.length < PREFIX_BYTES ? PREFIX_BYTES : sizeOf(bytes);
    return messages;
  }
}

/** Bytes of the message that begins here, with its prefix. */
function sizeOf(bytes: Buffer): number {
  if (bytes[0] !== 0) throw new Error('the peer sent a compressed message');
  return PREFIX_BYTES + bytes.readUInt32BE(1);
}
