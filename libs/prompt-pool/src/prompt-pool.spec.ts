import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blockHashes } from '@roost/block-cache';
import { PromptEncoder, tokenizePrompt } from '@roost/prompt';

import { PromptPool } from './prompt-pool.js';

// Owns: that a thread gives what the same code gives here, and that what it cannot do is said and bounded.

const bodyOf = (messages: unknown): Record<string, unknown> => ({ model: 'm', messages });
const bytesOf = (body: object): Buffer => Buffer.from(JSON.stringify(body));

describe('PromptPool', () => {
  let pool: PromptPool;

  beforeAll(() => {
    pool = new PromptPool({ threads: 1, maxQueued: 2 });
  });

  afterAll(() => pool.close());

  it('tokenises and hashes as a worker does, and leaves the body alone', async () => {
    const body = bodyOf([{ role: 'user', content: 'one two three four five six seven eight nine ten' }]);
    const bytes = bytesOf(body);
    const before = bytes.toString();
    const expected = await tokenizePrompt(new PromptEncoder(0), { endpoint: 'chat', body });
    const answer = await pool.tokenize('chat', bytes, [4, 8]);
    expect(answer?.tokens).toEqual(expected);
    for (const size of [4, 8]) {
      expect([...(answer?.blockHashes.get(size) ?? [])]).toEqual(blockHashes(expected, size));
    }
    expect(bytes.toString()).toBe(before);
  });

  it('hashes tokens that were made elsewhere, and tells the conversation by its content all the same', async () => {
    const bytes = bytesOf(bodyOf([{ role: 'user', content: 'of a model that nobody knows here' }]));
    const tokens = Uint32Array.from({ length: 10 }, (_, index) => 1_000_000 + index);
    const expected = tokens.slice();
    const answer = await pool.hash('chat', bytes, tokens, [4]);
    expect(answer?.tokens).toEqual(expected);
    expect([...(answer?.blockHashes.get(4) ?? [])]).toEqual(blockHashes(expected, 4));
    expect(answer?.contentPin).toBe((await pool.tokenize('chat', bytes, []))?.contentPin);
    expect(answer?.contentPin).not.toBeNull();
  });

  it('names what is wrong with a prompt', async () => {
    const body = bytesOf(bodyOf([{ role: 'user', content: [{ type: 'image_url' }] }]));
    await expect(pool.tokenize('chat', body, [])).rejects.toThrow('messages[0]');
  });

  it('refuses a prompt of more tokens than a model has room for', async () => {
    const body = bytesOf(bodyOf([{ role: 'user', content: 'word '.repeat(100) }]));
    await expect(pool.tokenize('chat', body, [], 90)).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'messages',
    });
    expect(await pool.tokenize('chat', body, [], 200)).not.toBeNull();
  });

  it('lets no more prompts wait than it was told', async () => {
    const body = bytesOf(bodyOf([{ role: 'user', content: 'word '.repeat(20_000) }]));
    const answers = await Promise.all(Array.from({ length: 6 }, () => pool.tokenize('chat', body, [])));
    expect(answers.filter((answer) => answer === null).length).toBeGreaterThan(0);
    expect(answers.filter((answer) => answer !== null).length).toBeGreaterThan(0);
    expect(await pool.tokenize('chat', body, [])).not.toBeNull();
  });
});
