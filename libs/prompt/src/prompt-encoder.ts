import { ByteBoundedLru } from './byte-bounded-lru.js';
import { encodeText } from './encode-text.js';
import { pages } from './pages.js';
import type { Segment } from './segment.js';

/** Rough cost of an entry beside its text and tokens, in bytes. */
const ENTRY_BYTES = 200;

/**
 * Encodes prompts and remembers the pages that they are made of, so that a conversation's next turn costs only what is new
 * in it.
 */
export class PromptEncoder {
  private readonly encodedPages: ByteBoundedLru<Uint32Array>;

  /** @param maxBytes bounds what is remembered; 0 remembers nothing */
  constructor(maxBytes: number) {
    this.encodedPages = new ByteBoundedLru(maxBytes);
  }

  /** The tokens of a prompt: each text on its own, control tokens as they are. */
  encode(segments: Iterable<Segment>): Uint32Array {
    return concatenate([...this.encodeInSteps(segments)]);
  }

  /**
   * The same in short steps, for a caller that must not hold up others: each step encodes at most one page of
   * text, which takes a few milliseconds at the very worst.
   */
  *encodeInSteps(segments: Iterable<Segment>): Generator<Uint32Array> {
    for (const segment of segments) {
      if (typeof segment === 'number') yield Uint32Array.of(segment);
      else for (const page of pages(segment)) yield this.encodePage(page);
    }
  }

  private encodePage(page: string): Uint32Array {
    const known = this.encodedPages.get(page);
    if (known !== undefined) return known;
    const tokens = Uint32Array.from(encodeText(page));
    // A slice would keep the whole request that it was cut from alive.
    const key = Buffer.from(page, 'utf16le').toString('utf16le');
    this.encodedPages.set(key, tokens, ENTRY_BYTES + 2 * page.length + tokens.byteLength);
    return tokens;
  }
}

/** Joins the steps of {@link PromptEncoder.encodeInSteps}. */
export function concatenate(parts: readonly Uint32Array[]): Uint32Array {
  const whole = new Uint32Array(parts.reduce((length, part) => length + part.length, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}
