import { closeSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs';
import { appendFile, rename } from 'node:fs/promises';

/** Text that may wait for the disk, in bytes; when there is more, it is lost. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/** How much is read at once to find the end of the last line. */
const CHUNK_BYTES = 64 * 1024;

/**
 * A file of lines that is never larger than it may be: before it would be, it is renamed to the same name with `.1`, in
 * place of the one before, and begun anew. Lines reach the disk in order, in the background. What was not written to the
 * end of its line, by an earlier life of the process or on a full disk, is cut off.
 */
export class RotatingFile {
  /** Batches of lines, each for a file of its own; the first for the file that is there. */
  private waiting: string[][] = [[]];
  private waitingBytes = 0;
  /** Of the file, once all that waits is in it. */
  private bytes: number;
  private broken = false;
  private mayBeTorn = false;
  private writing: Promise<void> | null = null;

  /**
   * @param maxBytes of one file; there are two at most
   * @param failed told of what the disk said when lines were lost
   * @throws the system's error when the file cannot be looked at, or not be cut off
   */
  constructor(
    private readonly path: string,
    private readonly maxBytes: number,
    private readonly failed: (error: unknown) => void,
  ) {
    this.bytes = cutTornLine(path);
  }

  /**
   * Adds a line, unless lines before it were lost or are in another file now: false says so, once, and the line may be
   * given again, as one that stands on nothing before it.
   */
  add(line: string): boolean {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.waitingBytes + bytes > MOST_WAITING_BYTES) this.lose(new Error('the disk does not keep up'));
    if (this.broken) {
      this.broken = false;
      return false;
    }
    if (this.bytes > 0 && this.bytes + bytes > this.maxBytes) {
      this.waiting.push([]);
      this.bytes = 0;
      return false;
    }
    this.waiting.at(-1)?.push(`${line}\n`);
    this.waitingBytes += bytes;
    this.bytes += bytes;
    this.writing ??= this.writeAll();
    return true;
  }

  /** Resolves when all lines are written. */
  async flush(): Promise<void> {
    await this.writing;
  }

  private lose(error: unknown): void {
    this.waiting = [[]];
    this.waitingBytes = 0;
    this.broken = true;
    this.failed(error);
  }

  private async writeAll(): Promise<void> {
    try {
      while (this.waitingBytes > 0) await this.writeSome();
    } catch (error) {
      this.mayBeTorn = true;
      this.lose(error);
    }
    this.writing = null;
  }

  private async writeSome(): Promise<void> {
    const [lines = [], ...others] = this.waiting;
    this.waiting = others.length === 0 ? [[]] : others;
    const text = lines.join('');
    this.waitingBytes -= Buffer.byteLength(text);
    if (this.mayBeTorn) cutTornLine(this.path);
    this.mayBeTorn = false;
    if (text !== '') await appendFile(this.path, text, { mode: 0o600 });
    if (others.length > 0) await rename(this.path, `${this.path}.1`);
  }
}

/** Cuts off what stands behind the last line end of a file; gives the bytes that are left. */
function cutTornLine(path: string): number {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0) return 0;
  const file = openSync(path, 'r+');
  try {
    const end = endOfLastLine(file, bytes);
    if (end < bytes) ftruncateSync(file, end);
    return end;
  } finally {
    closeSync(file);
  }
}

function endOfLastLine(file: number, bytes: number): number {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, bytes));
  for (let end = bytes; end > 0; end -= chunk.length) {
    const start = Math.max(0, end - chunk.length);
    const read = readSync(file, chunk, 0, end - start, start);
    const found = chunk.subarray(0, read).lastIndexOf('\n');
    if (found !== -1) return start + found + 1;
  }
  return 0;
}
