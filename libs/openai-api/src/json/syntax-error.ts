const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** What a string holds without an escape: no quote, no backslash, no control character. */
const PLAIN = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expectation = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' | 'nothing';
type Token = '{' | '}' | '[' | ']' | ':' | ',' | 'string' | 'scalar';

/** Where a text stops being JSON, told by the character at fault; the text's length when it ends too early. */
export interface SyntaxErrorPlace {
  /** 0-based, in UTF-16 units. */
  readonly position: number;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units. */
  readonly column: number;
}

/**
 * Where a text stops being JSON, or null when it is JSON. `JSON.parse` tells that only for some mistakes, and quotes the
 * text for others. Takes any depth of nesting.
 */
export function locateSyntaxError(text: string): SyntaxErrorPlace | null {
  const position = new Grammar(text).errorPosition();
  if (position === null) return null;
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < position; end = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = end + 1;
  }
  return { position, line, column: position - lineStart + 1 };
}

class Grammar {
  private readonly open: ('{' | '[')[] = [];
  private expected: Expectation = 'value';

  constructor(private readonly text: string) {}

  errorPosition(): number | null {
    for (let at = this.match(SPACE, 0); at < this.text.length; at = this.match(SPACE, at)) {
      const token = this.tokenAt(at);
      if (token === null || !this.take(token)) return at;
      if (token === 'string') {
        const { end, valid } = this.string(at);
        if (!valid) return end;
        at = end;
      } else {
        at = token === 'scalar' ? this.match(SCALAR, at) : at + 1;
      }
    }
    return this.expected === 'nothing' ? null : this.text.length;
  }

  /** Where a match of a sticky pattern ends; `at` when there is none. */
  private match(pattern: RegExp, at: number): number {
    pattern.lastIndex = at;
    return pattern.test(this.text) ? pattern.lastIndex : at;
  }

  private tokenAt(at: number): Token | null {
    const character = this.text.charAt(at);
    if (character === '"') return 'string';
    if ('{}[]:,'.includes(character)) return character as Token;
    return this.match(SCALAR, at) === at ? null : 'scalar';
  }

  private string(start: number): { end: number; valid: boolean } {
    let at = start + 1;
    for (;;) {
      at = this.match(PLAIN, at);
      if (this.text.charAt(at) === '"') return { end: at + 1, valid: true };
      const escaped = this.match(ESCAPE, at);
      if (escaped === at) return { end: at, valid: false };
      at = escaped;
    }
  }

  /** Whether the token may stand here; if so, what may follow it is known then. */
  private take(token: Token): boolean {
    if (token === '}' || token === ']') return this.leave(token);
    if (token === ':') return this.expected === ':' && this.expect('value');
    if (token === ',') return this.expected === ', or end' && this.expect(this.open.at(-1) === '{' ? 'key' : 'value');
    return this.begin(token);
  }

  private begin(value: '{' | '[' | 'string' | 'scalar'): boolean {
    if (value === 'string' && this.expected.startsWith('key')) return this.expect(':');
    if (!this.expected.startsWith('value')) return false;
    if (value === 'string' || value === 'scalar') return this.expectAfterValue();
    this.open.push(value);
    return this.expect(value === '{' ? 'key or }' : 'value or ]');
  }

  private leave(bracket: '}' | ']'): boolean {
    const [opening, whenEmpty] = bracket === '}' ? (['{', 'key or }'] as const) : (['[', 'value or ]'] as const);
    const closes = this.expected === whenEmpty || (this.expected === ', or end' && this.open.at(-1) === opening);
    if (!closes) return false;
    this.open.pop();
    return this.expectAfterValue();
  }

  private expectAfterValue(): boolean {
    return this.expect(this.open.length === 0 ? 'nothing' : ', or end');
  }

  private expect(next: Expectation): true {
    this.expected = next;
    return true;
  }
}
