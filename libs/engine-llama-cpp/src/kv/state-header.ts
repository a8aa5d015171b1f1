import { KvMismatch } from '@roost/engine';

/** Magic and version of llama.cpp's files of one sequence's state (`LLAMA_STATE_SEQ_MAGIC`), and the count of its tokens. */
const HEADER_BYTES = 12;
const MAGIC = 0x67677371;

/** Bytes at a state's beginning that say of which tokens it is the cache. */
export function headerBytes(numTokens: number): number {
  return HEADER_BYTES + 4 * numTokens;
}

/** @throws KvMismatch unless these are the first bytes of the state of just that prompt, naming what differs */
export function checkHeader(bytes: Buffer, prompt: Uint32Array): void {
  if (bytes.length < headerBytes(prompt.length) || bytes.readUInt32LE(0) !== MAGIC) {
    throw new KvMismatch('what arrived is not the state of a llama.cpp sequence');
  }
  const count = bytes.readUInt32LE(8);
  if (count !== prompt.length) {
    throw new KvMismatch(`the state is of ${String(count)} tokens, expected ${String(prompt.length)}`);
  }
  const wrong = prompt.findIndex((token, index) => bytes.readUInt32LE(HEADER_BYTES + 4 * index) !== token);
  if (wrong >= 0) throw new KvMismatch(`token ${String(wrong)} of the state is not that of the prompt`);
}
