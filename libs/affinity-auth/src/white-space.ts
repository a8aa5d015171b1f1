/** What the reference implementation strips from ids: not quite what `String.prototype.trim` does (U+0085 yes, U+FEFF no). */
const WHITE_SPACE = new Set(
  [
    0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003,
    0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
  ].map((code) => String.fromCharCode(code)),
);

/**
 * The text without the white space around it. Ids are signed in this form, so an edge and a worker must agree on every
 * character of the set: it is that of Python's `str.strip` (reference 4.3).
 */
export function stripWhiteSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && WHITE_SPACE.has(text.charAt(start))) start += 1;
  while (end > start && WHITE_SPACE.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
