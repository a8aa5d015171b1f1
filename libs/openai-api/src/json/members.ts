/** One member of a JSON object as it stands in a text. */
export interface Member {
  readonly key: string;
  /** From the key's quote to the end of the value. */
  readonly text: string;
  /** As it is written: every digit of a number is there. */
  readonly valueText: string;
}

/**
 * The members of a JSON object as they are written, repeated keys included.
 *
 * @param text a JSON object, known to be valid
 */
export function* membersOf(text: string): Generator<Member> {
  let at = text.indexOf('{') + 1;
  for (;;) {
    at = skipTo(/["}]/g, text, at);
    if (text.charAt(at) !== '"') return;
    const keyEnd = endOfString(text, at);
    const valueStart = skipTo(/\S/g, text, text.indexOf(':', keyEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    yield {
      key: JSON.parse(text.slice(at, keyEnd)) as string,
      text: text.slice(at, valueEnd),
      valueText: text.slice(valueStart, valueEnd),
    };
    at = valueEnd;
  }
}

/** How the value is written that a parser takes for `key`: the last one; undefined when there is none. */
export function writtenValue(text: string, key: string): string | undefined {
  let written: string | undefined;
  for (const member of membersOf(text)) if (member.key === key) written = member.valueText;
  return written;
}

function skipTo(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.index ?? text.length;
}

function endOfString(text: string, start: number): number {
  let quote = start;
  let backslashes: number;
  do {
    quote = text.indexOf('"', quote + 1);
    backslashes = 0;
    while (text.charAt(quote - 1 - backslashes) === '\\') backslashes += 1;
  } while (backslashes % 2 === 1);
  return quote + 1;
}

function endOfValue(text: string, start: number): number {
  const first = text.charAt(start);
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') return skipTo(/[\s,}\]]/g, text, start);
  let depth = 0;
  let at = start;
  do {
    at = skipTo(/["{}[\]]/g, text, at);
    const mark = text.charAt(at);
    if (mark === '"') at = endOfString(text, at);
    else {
      depth += mark === '{' || mark === '[' ? 1 : -1;
      at += 1;
    }
  } while (depth > 0);
  return at;
}
