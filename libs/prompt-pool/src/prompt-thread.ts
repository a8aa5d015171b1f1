import { blockHashes } from '@roost/block-cache';
import { contentPinOfBody } from '@roost/fleet-router';
import { InvalidPrompt, PromptEncoder, tokenizePrompt } from '@roost/prompt';
import { move } from 'piscina';

import type { PromptTask, PromptTaskOutcome, PromptTokens } from './prompt-task.js';

/** What one thread remembers of the prompts that it has seen, so that a next turn costs only what is new in it. */
const REMEMBERED_BYTES = 64 * 1024 * 1024;

const encoder = new PromptEncoder(REMEMBERED_BYTES);

/** Does one task; piscina calls it on a thread of its own. */
export async function tokenize({
  endpoint,
  body,
  tokens: known,
  blockSizes,
  maxTokens,
}: PromptTask): Promise<PromptTaskOutcome> {
  try {
    const parsed = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8')) as Record<
      string,
      unknown
    >;
    const tokens = known ?? (await tokenizePrompt(encoder, { endpoint, body: parsed }, maxTokens));
    const hashes = blockSizes.map((size) => [size, BigUint64Array.from(blockHashes(tokens, size))] as const);
    return handedOver({ tokens, blockHashes: new Map(hashes), contentPin: contentPinOfBody(parsed) });
  } catch (error) {
    if (!(error instanceof InvalidPrompt)) throw error;
    const { code, message, param } = error;
    return { kind: 'refused', code, message, param };
  }
}

/** The arrays go to the other thread as they are, uncopied. */
function handedOver({ tokens, blockHashes: hashes, contentPin }: PromptTokens): PromptTaskOutcome {
  const outcome = { kind: 'tokens', tokens, blockHashes: hashes, contentPin } as const;
  const transferable = {
    get [Symbol.for('Piscina.transferable')]() {
      return [tokens.buffer, ...hashes.values().map(({ buffer }) => buffer)];
    },
    get [Symbol.for('Piscina.valueOf')]() {
      return outcome;
    },
  };
  return move(transferable as never) as unknown as PromptTaskOutcome;
}

// eslint-disable-next-line import-x/no-default-export -- piscina calls a module's default export
export default tokenize;
