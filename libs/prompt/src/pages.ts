/** Texts are encoded in pages of at most so many UTF-16 units. */
export const MAX_PAGE = 8192;

const MIN_PAGE = MAX_PAGE / 2;

/**
 * Cuts a text where its encoding does not depend on what follows: behind a line break before a visible character, where
 * there is one in the second half of a page, else in mid-text at {@link MAX_PAGE}. A text that goes on has the same pages
 * up to its last one.
 */
export function* pages(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > MAX_PAGE) {
    const end = pageEnd(text, start);
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length) yield text.slice(start);
}

function pageEnd(text: string, start: number): number {
  for (let end = start + MAX_PAGE; end > start + MIN_PAGE; end -= 1) {
    if (isLineBreak(text.charCodeAt(end - 1)) && /\S/.test(text.charAt(end))) {
      return end;
    }
  }
  const end = start + MAX_PAGE;
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

function isLineBreak(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d;
}

/** Whether a UTF-16 unit is the first of two that make one character. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
