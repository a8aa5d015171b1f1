import { StringDecoder } from 'node:string_decoder';

/** The most characters that one line may have; a longer one is handed on in pieces. */
const longestLine = 64 * 1024;

/** Cuts a stream of bytes into lines, without their ends; a character split between two chunks stays whole. */
export class LineSplitter {
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';

  constructor(private readonly onLine: (line: string) => void) {}

  push(chunk: Buffer): void {
    const lines = (this.rest + this.decoder.write(chunk)).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.emit(line);
    if (this.rest.length > longestLine) this.flush();
  }

  /** Hands on what is left without an end of line. */
  end(): void {
    this.rest += this.decoder.end();
    this.flush();
  }

  private flush(): void {
    if (this.rest !== '') this.emit(this.rest);
    this.rest = '';
  }

  private emit(line: string): void {
    this.onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
}
