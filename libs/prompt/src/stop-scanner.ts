import { StopMatcher } from './stop-matcher.js';

/** A piece of an answer that will not be taken back. */
export interface AnswerPiece {
  readonly text: string;
  /** Whether a stop string has ended the answer; nothing follows then. */
  readonly stopped: boolean;
}

/**
 * Ends a text at the stop string that is complete first, of several the longest, and holds back what may become one. The
 * stop string is not part of the text. How the text is cut into chunks changes nothing.
 */
export class StopScanner {
  private readonly matchers: readonly StopMatcher[];
  private held = '';
  private stopped = false;

  /** @param stops empty strings and strings that no text can hold (half a character) never stop anything */
  constructor(stops: readonly string[]) {
    this.matchers = stops.filter((stop) => stop.length > 0 && stop.isWellFormed()).map((stop) => new StopMatcher(stop));
  }

  push(text: string): AnswerPiece {
    if (this.stopped) return { text: '', stopped: true };
    const buffer = this.held + text;
    for (let index = this.held.length; index < buffer.length; index += 1) {
      const found = this.advance(buffer.charCodeAt(index));
      if (found > 0) {
        this.stopped = true;
        this.held = '';
        return { text: buffer.slice(0, index + 1 - found), stopped: true };
      }
    }
    const final = buffer.length - Math.max(0, ...this.matchers.map((matcher) => matcher.progress));
    this.held = buffer.slice(final);
    return { text: buffer.slice(0, final), stopped: false };
  }

  /** What was held back, at the end of the text. */
  flush(): string {
    const text = this.held;
    this.held = '';
    return text;
  }

  /** The length of the stop string that this unit completes, or 0. */
  private advance(unit: number): number {
    let found = 0;
    for (const matcher of this.matchers) {
      matcher.advance(unit);
      if (matcher.found) found = Math.max(found, matcher.progress);
    }
    return found;
  }
}
