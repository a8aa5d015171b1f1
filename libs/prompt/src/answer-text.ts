import { type AnswerPiece, StopScanner } from './stop-scanner.js';
import { TextStream } from './text-stream.js';

/** How an answer's tokens become text. */
export interface AnswerTextOptions {
  /** The bytes of some tokens; of all tokens one after the other they are the answer's UTF-8. */
  readonly detokenize: (tokens: readonly number[]) => Uint8Array;
  /** Stop strings; may be empty. */
  readonly stop: readonly string[];
}

/** The text of an answer while its tokens arrive: whole characters only, cut at the first stop string. */
export class AnswerText {
  private readonly stream = new TextStream();
  private readonly scanner: StopScanner;

  constructor(private readonly options: AnswerTextOptions) {
    this.scanner = new StopScanner(options.stop);
  }

  /** The text that these tokens make final. */
  push(tokens: readonly number[]): AnswerPiece {
    return this.scanner.push(this.stream.push(this.options.detokenize(tokens)));
  }

  /** The rest, at the end of the answer. Half a character reads as U+FFFD. */
  flush(): string {
    return this.scanner.push(this.stream.flush()).text + this.scanner.flush();
  }
}
