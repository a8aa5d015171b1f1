/**
 * Turns bytes that arrive in arbitrary chunks into text, never splitting a character. What is not UTF-8 becomes U+FFFD, as
 * if all bytes had been decoded at once.
 */
export class TextStream {
  // A byte order mark inside an answer is part of the answer.
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** The characters that are complete now. */
  push(bytes: Uint8Array): string {
    return this.decoder.decode(bytes, { stream: true });
  }

  /** What an incomplete last character reads as, or nothing; the stream starts anew. */
  flush(): string {
    return this.decoder.decode();
  }
}
