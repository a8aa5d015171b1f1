import { type GgufTensor, type GgufValue, ggufFile } from './gguf-file.js';

const LAYERS = 2;
const WIDTH = 128;
const HEADS = 4;
const KV_HEADS = 2;
const INNER = 256;
const CONTEXT = 4096;
const SEED = 20_240_229;

const CHAT_TEMPLATE =
  "{% if tools %}<|im_start|>tools\n{{ tools | tojson }}<|im_end|>\n{% endif %}{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/**
 * A GGUF file of a tiny llama with random weights, whose tokens are bytes: for tests, where text does not matter. The same
 * bytes on every machine.
 */
export function tinyModel(): Buffer {
  const tokens = vocabulary();
  return ggufFile(metadata(tokens), weights(tokens.length));
}

interface TinyToken {
  readonly text: string;
  /** As in `tokenizer.ggml.token_type`. */
  readonly type: number;
}

function vocabulary(): readonly TinyToken[] {
  const special = ['<s>', '</s>', '<|im_start|>', '<|im_end|>'].map((text) => ({ text, type: 3 }));
  const bytes = Array.from({ length: 256 }, (_, byte) => ({
    text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    type: 6,
  }));
  return [{ text: '<unk>', type: 2 }, ...special, ...bytes, { text: '\u2581', type: 1 }];
}

function metadata(tokens: readonly TinyToken[]): Record<string, GgufValue> {
  const u32 = (value: number): GgufValue => ({ kind: 'u32', value });
  const text = (value: string): GgufValue => ({ kind: 'string', value });
  return {
    'general.architecture': text('llama'),
    'general.name': text('roost-tiny'),
    'llama.context_length': u32(CONTEXT),
    'llama.embedding_length': u32(WIDTH),
    'llama.block_count': u32(LAYERS),
    'llama.feed_forward_length': u32(INNER),
    'llama.attention.head_count': u32(HEADS),
    'llama.attention.head_count_kv': u32(KV_HEADS),
    'llama.attention.layer_norm_rms_epsilon': { kind: 'f32', value: 1e-5 },
    'llama.rope.dimension_count': u32(WIDTH / HEADS),
    'llama.vocab_size': u32(tokens.length),
    'tokenizer.ggml.model': text('llama'),
    'tokenizer.ggml.tokens': { kind: 'strings', value: tokens.map((token) => token.text) },
    'tokenizer.ggml.scores': { kind: 'f32s', value: tokens.map(() => 0) },
    'tokenizer.ggml.token_type': { kind: 'i32s', value: tokens.map(({ type }) => type) },
    'tokenizer.ggml.unknown_token_id': u32(0),
    'tokenizer.ggml.bos_token_id': u32(1),
    'tokenizer.ggml.eos_token_id': u32(2),
    'tokenizer.ggml.eot_token_id': u32(4),
    'tokenizer.ggml.add_bos_token': { kind: 'bool', value: true },
    'tokenizer.ggml.add_space_prefix': { kind: 'bool', value: false },
    'tokenizer.chat_template': text(CHAT_TEMPLATE),
  };
}

function weights(vocabularySize: number): GgufTensor[] {
  const random = normal(SEED);
  const matrix = (name: string, inner: number, outer: number, scale = 1): GgufTensor => ({
    name: `${name}.weight`,
    dimensions: [inner, outer],
    data: Float32Array.from({ length: inner * outer }, () => (random() * scale) / Math.sqrt(inner)),
  });
  const norm = (name: string): GgufTensor => ({
    name: `${name}.weight`,
    dimensions: [WIDTH],
    data: new Float32Array(WIDTH).fill(1),
  });
  const kvWidth = (WIDTH / HEADS) * KV_HEADS;
  // So scaled that answers wander and hang on every token before them: a wrong cache must show.
  const layers = Array.from({ length: LAYERS }, (_, layer) => {
    const name = `blk.${String(layer)}`;
    return [
      norm(`${name}.attn_norm`),
      matrix(`${name}.attn_q`, WIDTH, WIDTH, 4),
      matrix(`${name}.attn_k`, WIDTH, kvWidth, 4),
      matrix(`${name}.attn_v`, WIDTH, kvWidth, 2),
      matrix(`${name}.attn_output`, WIDTH, WIDTH, 2),
      norm(`${name}.ffn_norm`),
      matrix(`${name}.ffn_gate`, WIDTH, INNER),
      matrix(`${name}.ffn_up`, WIDTH, INNER),
      matrix(`${name}.ffn_down`, INNER, WIDTH, 3),
    ];
  });
  return [
    matrix('token_embd', WIDTH, vocabularySize),
    ...layers.flat(),
    norm('output_norm'),
    matrix('output', WIDTH, vocabularySize, 5),
  ];
}

/** Nearly normal numbers, of sums and products alone, so that every machine makes the same. */
function normal(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => uniform() + uniform() + uniform() + uniform() - 2;
}
