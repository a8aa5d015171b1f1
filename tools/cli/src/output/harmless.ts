/**
 * A text that a terminal shows as it is: what moves the cursor, changes colours, begins a line or turns the direction of
 * writing is told by its number. Ids in log entries come from clients.
 */
export function harmless(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
