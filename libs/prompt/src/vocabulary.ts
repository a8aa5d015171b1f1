import ranks from 'gpt-tokenizer/bpeRanks/cl100k_base';

/** Ids of control tokens. They lie beyond the text vocabulary, so that no text, whatever it says, encodes to one. */
export const CONTROL = {
  /** Opens a message; its author follows. */
  messageStart: 100_320,
  /** Ends an author or a call's name; content follows. */
  headerEnd: 100_321,
  /** Ends a message; also what a model samples when its answer is complete. */
  messageEnd: 100_322,
  /** Opens a tool call inside an assistant's message. */
  toolCall: 100_323,
  /** Opens the declaration of a tool in the system part. */
  tool: 100_324,
} as const;

/** Token ids are below this. */
export const VOCABULARY_SIZE = 100_352;

/** Each token's bytes, as a string of one character a byte. */
const bytesOfToken: readonly string[] = ranks.map((entry) =>
  typeof entry === 'string' ? toByteString(entry) : String.fromCharCode(...entry),
);

/** Tokens by the text that they stand for, where that is whole characters. */
const tokenOfText = new Map<string, number>();
const tokenOfBytes = new Map<string, number>();
bytesOfToken.forEach((bytes, token) => {
  tokenOfBytes.set(bytes, token);
});
ranks.forEach((entry, token) => {
  if (typeof entry === 'string') tokenOfText.set(entry, token);
});

/** The one token that stands for a text, when there is one. */
export function tokenForText(text: string): number | undefined {
  return tokenOfText.get(text);
}

/** The one token that stands for bytes (a string of one character a byte), when there is one. */
export function tokenForBytes(bytes: string): number | undefined {
  return tokenOfBytes.get(bytes);
}

/** A text's UTF-8, as a string of one character a byte. */
export function toByteString(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The bytes that tokens stand for; control tokens and unknown ids stand for none. */
export function decodeTokens(tokens: readonly number[]): Uint8Array {
  return Buffer.from(tokens.map((token) => bytesOfToken[token] ?? '').join(''), 'latin1');
}
