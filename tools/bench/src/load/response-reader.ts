import { Buffer } from 'node:buffer';

const HEAD_END = Buffer.from('\r\n\r\n');
const CRLF = Buffer.from('\r\n');

/**
 * Reads the answers of one HTTP/1.1 connection, one after the other, at less cost than a general client, so that what is
 * measured is the server. Knows lengths and chunks, no trailers.
 */
export class ResponseReader {
  /** Of the answer that is being read, or was last. */
  status = 0;
  private rest: Buffer = Buffer.alloc(0);
  private state: 'head' | 'length' | 'chunk size' | 'chunk' | 'chunk end' | 'to the end' = 'head';
  private missing = 0;

  /** @param onBody told of each piece of a body */
  constructor(private readonly onBody: (piece: Buffer) => void) {}

  /**
   * Takes what came over the connection.
   *
   * @returns whether an answer is complete
   */
  push(data: Buffer): boolean {
    let at = 0;
    const bytes = this.rest.length === 0 ? data : Buffer.concat([this.rest, data]);
    this.rest = Buffer.alloc(0);
    while (at < bytes.length) {
      const next = this.step(bytes, at);
      if (next === null) {
        this.rest = bytes.subarray(at);
        return false;
      }
      at = next;
      if (this.state === 'head') return true;
    }
    return false;
  }

  /** The place after what could be read; null when more is needed. */
  private step(bytes: Buffer, at: number): number | null {
    if (this.state === 'head') return this.head(bytes, at);
    if (this.state === 'chunk size') return this.chunkSize(bytes, at);
    if (this.state === 'chunk end') {
      if (bytes.length - at < 2) return null;
      this.state = this.missing === -1 ? 'head' : 'chunk size';
      return at + 2;
    }
    return this.body(bytes, at);
  }

  private head(bytes: Buffer, at: number): number | null {
    const end = bytes.indexOf(HEAD_END, at);
    if (end === -1) return null;
    const head = bytes.toString('latin1', at, end).toLowerCase();
    this.status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    this.missing = Number(length ?? 0);
    if (length !== undefined) this.state = this.missing === 0 ? 'head' : 'length';
    else this.state = head.includes('\r\ntransfer-encoding: chunked') ? 'chunk size' : 'to the end';
    return end + 4;
  }

  private chunkSize(bytes: Buffer, at: number): number | null {
    const end = bytes.indexOf(CRLF, at);
    if (end === -1) return null;
    this.missing = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (this.missing === 0) this.missing = -1;
    this.state = this.missing === -1 ? 'chunk end' : 'chunk';
    return end + 2;
  }

  private body(bytes: Buffer, at: number): number {
    const end = this.state === 'to the end' ? bytes.length : Math.min(bytes.length, at + this.missing);
    this.onBody(bytes.subarray(at, end));
    this.missing -= end - at;
    if (this.missing === 0) this.state = this.state === 'chunk' ? 'chunk end' : 'head';
    return end;
  }
}
