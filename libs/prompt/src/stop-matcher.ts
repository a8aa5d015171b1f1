/** Finds one string in a text that arrives unit by unit, in constant time a unit on average (Knuth, Morris, Pratt). */
export class StopMatcher {
  /** For each prefix, the length of its longest proper suffix that is a prefix too. */
  private readonly fallback: Uint32Array;
  private matched = 0;

  /** @throws RangeError for an empty string */
  constructor(private readonly stop: string) {
    if (stop.length === 0) throw new RangeError('a stop string is empty');
    this.fallback = fallbackTable(stop);
  }

  /** How many of the last units seen are the beginning of the string; its whole length when it has just ended. */
  get progress(): number {
    return this.matched;
  }

  get found(): boolean {
    return this.matched === this.stop.length;
  }

  /** Takes the next UTF-16 unit; not to be called once found. */
  advance(unit: number): void {
    while (this.matched > 0 && this.stop.charCodeAt(this.matched) !== unit) {
      this.matched = this.fallback[this.matched - 1] ?? 0;
    }
    if (this.stop.charCodeAt(this.matched) === unit) this.matched += 1;
  }
}

function fallbackTable(text: string): Uint32Array {
  const table = new Uint32Array(text.length);
  let length = 0;
  for (let end = 1; end < text.length; end += 1) {
    const unit = text.charCodeAt(end);
    while (length > 0 && text.charCodeAt(length) !== unit) {
      length = table[length - 1] ?? 0;
    }
    if (text.charCodeAt(length) === unit) length += 1;
    table[end] = length;
  }
  return table;
}
