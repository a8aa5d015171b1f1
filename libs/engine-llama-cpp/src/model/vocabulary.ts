/** The parts of a GGUF file's metadata that are read here; each is checked before it is used. */
interface TokenizerMetadata {
  readonly model?: unknown;
  readonly tokens?: unknown;
  readonly token_type?: unknown;
}

/** What kinds of token a GGUF file has (its `tokenizer.ggml.token_type`). */
const CONTROL = 3;
const LITERAL = new Set([2, 4]);
const BYTE = 6;

/** The model's file cannot be served by this engine. The message says why. */
export class UnsupportedModel extends Error {
  override readonly name = 'UnsupportedModel';
}

/** The vocabulary of a GGUF file: what its tokens stand for. */
export class Vocabulary {
  /** Texts of the control tokens, e.g. `<|im_start|>`. */
  readonly controlTexts: readonly string[];
  private readonly bytes: readonly Uint8Array[];

  /** @throws UnsupportedModel unless the file has a byte-level or a SentencePiece vocabulary */
  constructor(metadata: TokenizerMetadata) {
    const { model, tokens, token_type: types } = metadata;
    if (model !== 'gpt2' && model !== 'llama') {
      throw new UnsupportedModel(`the tokenizer ${JSON.stringify(model)} is not supported: only gpt2 and llama are`);
    }
    if (!Array.isArray(tokens)) throw new UnsupportedModel('the file has no list of tokens');
    const kinds: unknown[] = Array.isArray(types) ? types : [];
    const decode = model === 'gpt2' ? byteLevel : sentencePiece;
    const texts = tokens.map(String);
    this.bytes = texts.map((text, id) => bytesOf(text, Number(kinds[id] ?? 1), decode));
    this.controlTexts = texts.filter((text, id) => kinds[id] === CONTROL && text !== '');
  }

  get size(): number {
    return this.bytes.length;
  }

  /** The bytes that tokens stand for; control tokens stand for none. */
  detokenize(tokens: readonly number[]): Uint8Array {
    return Buffer.concat(tokens.map((token) => this.bytes[token] ?? new Uint8Array(0)));
  }
}

function bytesOf(text: string, kind: number, decode: (text: string) => Uint8Array): Uint8Array {
  if (kind === CONTROL) return new Uint8Array(0);
  if (kind === BYTE) return Uint8Array.of(Number.parseInt(text.slice(1, -1), 16));
  return LITERAL.has(kind) ? Buffer.from(text) : decode(text);
}

function sentencePiece(text: string): Uint8Array {
  return Buffer.from(text.replaceAll('\u2581', ' '));
}

/** Undoes the byte-level alphabet of GPT-2: a printable character for each byte, those that are not moved up to U+0100 on. */
function byteLevel(text: string): Uint8Array {
  return Buffer.concat(
    Array.from(text, (char) => {
      const byte = BYTE_OF.get(char);
      return byte === undefined ? Buffer.from(char) : Uint8Array.of(byte);
    }),
  );
}

const isPrintable = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad);

const BYTE_OF: ReadonlyMap<string, number> = (() => {
  const alphabet = new Map<string, number>();
  let moved = 0x100;
  for (let byte = 0; byte < 256; byte += 1)
    alphabet.set(String.fromCodePoint(isPrintable(byte) ? byte : moved++), byte);
  return alphabet;
})();
