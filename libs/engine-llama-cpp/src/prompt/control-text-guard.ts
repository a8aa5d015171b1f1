/** A code point that no text has (a Unicode noncharacter). */
const MARK = '\uFDD0';

/**
 * Keeps a client from writing control tokens: marks their texts in what it wrote, so that after rendering they can be told
 * from the template's own.
 */
export class ControlTextGuard {
  private readonly pattern: RegExp | null;

  /** @param controlTexts texts of the control tokens */
  constructor(controlTexts: readonly string[]) {
    const longestFirst = controlTexts.toSorted((a, b) => b.length - a.length);
    const alternatives = longestFirst.map((text) => RegExp.escape(text)).join('|');
    this.pattern = alternatives === '' ? null : new RegExp(alternatives, 'gu');
  }

  /** The same value with marked texts, in a copy. */
  protect(value: unknown): unknown {
    if (typeof value === 'string') return this.mark(value);
    if (Array.isArray(value)) return value.map((item) => this.protect(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.mark(key), this.protect(item)]));
  }

  /** The pieces of a rendered text that are tokenised each by itself: no control token of a client's lies in any. */
  split(rendered: string): readonly string[] {
    return rendered.split(MARK).filter((piece) => piece !== '');
  }

  private mark(text: string): string {
    const clean = text.replaceAll(MARK, '');
    if (this.pattern === null) return clean;
    return clean.replace(this.pattern, (control) => `${control.slice(0, 1)}${MARK}${control.slice(1)}`);
  }
}
