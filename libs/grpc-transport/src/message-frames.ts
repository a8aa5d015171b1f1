import { Buffer } from 'node:buffer';

import { BytesBuilder } from '@roost/held-bytes';

/** Of a message as it travels in gRPC: whether it is compressed (1 byte), and its length (4, big endian). */
const PREFIX_BYTES = 5;
const NOTHING = Buffer.alloc(0);

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
  /** A prefix that is not whole yet. */
  private prefix: Buffer = NOTHING;
  /** A message that is not whole yet, and how much of it is missing. */
  private begun: BytesBuilder | null = null;
  private missing = 0;

  /** Whether a message has begun whose end has not come. */
  get isWithinMessage(): boolean {
    return this.begun !== null || this.prefix.length > 0;
  }

  /**
   * The messages that are complete with this piece. One that came in this piece alone shares its memory.
   *
   * @throws Error for a compressed message, which nobody has been told to send
   */
  push(piece: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    let rest = piece;
    while (rest.length > 0)
      rest = this.begun === null ? this.begin(rest, messages) : this.goOn(this.begun, rest, messages);
    return messages;
  }

  /** Takes a prefix, and its message if that is there whole; gives what comes after. */
  private begin(piece: Buffer, messages: Buffer[]): Buffer {
    const bytes = this.prefix.length === 0 ? piece : Buffer.concat([this.prefix, piece]);
    if (bytes.length < PREFIX_BYTES) {
      this.prefix = bytes;
      return NOTHING;
    }
    this.prefix = NOTHING;
    if (bytes[0] !== 0) throw new Error('the peer sent a compressed message');
    const end = PREFIX_BYTES + bytes.readUInt32BE(1);
    if (bytes.length >= end) {
      messages.push(bytes.subarray(PREFIX_BYTES, end));
      return bytes.subarray(end);
    }
    this.missing = end - PREFIX_BYTES;
    this.begun = new BytesBuilder(this.missing);
    return bytes.subarray(PREFIX_BYTES);
  }

  /** Takes what belongs to the message that has begun; gives what comes after. */
  private goOn(begun: BytesBuilder, piece: Buffer, messages: Buffer[]): Buffer {
    const part = piece.subarray(0, this.missing);
    begun.add(part);
    this.missing -= part.length;
    if (this.missing === 0) {
      messages.push(begun.finish());
      this.begun = null;
    }
    return piece.subarray(part.length);
  }
}
