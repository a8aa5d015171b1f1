import { afterEach, describe, expect, it } from '@jest/globals';
import { blockHashes } from '@roost/block-cache';
import { PromptPool } from '@roost/prompt-pool';

import type { Fleets } from '../fleets/fleets.js';
import type { WorkerTokens } from '../fleets/worker-tokens.js';

import { PromptTokenizer } from './prompt-tokenizer.js';
import { ServedRequest } from './served-request.js';

// Owns: who tokenises a prompt, and that a request goes on without tokens where nobody can.

const TOKENS = Uint32Array.of(1_000_001, 1_000_002, 1_000_003, 1_000_004, 1_000_005);
const client = { endpoint: 'completions', model: 'm', bytes: Buffer.from('{"prompt":"one two three"}') };

function served(): ServedRequest {
  const identity = { conversationId: null, subagentAffinityId: null, routingKey: null, synthesised: false };
  return new ServedRequest('id', client as never, identity, Date.now(), new AbortController().signal);
}

describe('PromptTokenizer', () => {
  let tokenizer: PromptTokenizer | null = null;
  let asked = 0;

  afterEach(() => tokenizer?.onApplicationShutdown());

  function make(promptFormat: string | null, answer: Uint32Array | null): PromptTokenizer {
    asked = 0;
    const fleets = { promptFormat, blockSizes: [2], maxSeqLen: 100 } as unknown as Fleets;
    const ask = (): Promise<Uint32Array | null> => {
      asked += 1;
      return Promise.resolve(answer?.slice() ?? null);
    };
    const workers = { ask, asking: 3, failed: 0 } as unknown as WorkerTokens;
    return (tokenizer = new PromptTokenizer(fleets, workers, { threads: 1, maxQueued: 8 }));
  }

  it('is a worker where its model is none that the edge knows, once for all uses', async () => {
    const made = make('gguf:1', TOKENS);
    const request = served();
    await made.tokenize(request);
    expect(request.prompt?.tokens).toEqual(TOKENS);
    expect([...(request.prompt?.blockHashes.get(2) ?? [])]).toEqual(blockHashes(TOKENS, 2));
    expect([...((await made.blocksOf(request, 4)) ?? [])]).toEqual(blockHashes(TOKENS, 4));
    expect([asked, made.skipped, made.queued]).toEqual([1, 0, 3]);
  });

  it('is nobody where the worker does not tell: not even later, for a log', async () => {
    const made = make('gguf:1', null);
    const request = served();
    await made.tokenize(request);
    expect([request.prompt, await made.blocksOf(request, 4)]).toEqual([null, null]);
    expect([asked, made.skipped]).toEqual([1, 1]);
  });

  it.each([[PromptPool.format], [null]])('is a thread of the edge where workers tokenise as %s', async (format) => {
    const made = make(format, TOKENS);
    const request = served();
    await made.tokenize(request);
    expect(request.prompt?.tokens.length).toBeGreaterThan(0);
    expect([request.prompt?.tokens.includes(1_000_001), asked]).toEqual([false, 0]);
  });
});
