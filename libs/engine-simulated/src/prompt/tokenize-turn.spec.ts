import { describe, expect, it } from '@jest/globals';
import { EngineRefusal } from '@roost/engine';
import { encodeText, PromptEncoder, renderChat } from '@roost/prompt';

import { tokenizeTurn } from './tokenize-turn.js';

/** Owns: where a request's prompt is found. How it is rendered and encoded is tested with `@roost/prompt`. */

const encoder = new PromptEncoder(0);
const messages = [{ role: 'user', content: 'Hi there' }];
const chat = (body: Record<string, unknown>): Promise<Uint32Array> => tokenizeTurn(encoder, { endpoint: 'chat', body });
const complete = (body: Record<string, unknown>): Promise<Uint32Array> =>
  tokenizeTurn(encoder, { endpoint: 'completions', body });

describe('tokenizeTurn', () => {
  it('renders messages', async () => {
    expect(await chat({ messages })).toEqual(encoder.encode(renderChat({ messages })));
  });

  it('takes a completion prompt as text or as token ids, alone or in a list of one', async () => {
    const tokens = Uint32Array.from(encodeText('One two'));
    const ids = [...tokens];
    expect(await complete({ prompt: 'One two' })).toEqual(tokens);
    expect(await complete({ prompt: ['One two'] })).toEqual(tokens);
    expect(await complete({ prompt: ids })).toEqual(tokens);
    expect(await complete({ prompt: [ids] })).toEqual(tokens);
  });

  it('takes prompt_token_ids before anything else', async () => {
    expect(await chat({ messages, prompt_token_ids: [7, 8] })).toEqual(Uint32Array.of(7, 8));
    expect(await complete({ prompt: 'x', prompt_token_ids: [7, 8] })).toEqual(Uint32Array.of(7, 8));
  });

  it('encodes a long prompt in steps, as if at once', async () => {
    const prompt = 'the words of a long prompt\n'.repeat(4_000);
    expect(await complete({ prompt })).toEqual(Uint32Array.from(encodeText(prompt)));
  });

  it.each<[Record<string, unknown>, string, string, string]>([
    [{}, 'invalid_request', 'prompt', 'prompt must be a text or a list of token ids'],
    [{ prompt: 4 }, 'invalid_request', 'prompt', 'prompt must be a text or a list of token ids'],
    [{ prompt: '' }, 'invalid_request', 'prompt', 'prompt is empty'],
    [{ prompt: [] }, 'invalid_request', 'prompt', 'prompt is empty'],
    [{ prompt: ['a', 'b'] }, 'unsupported_parameter', 'prompt', 'prompt holds 2 prompts; send one a request'],
    [{ prompt: [1, -1] }, 'invalid_request', 'prompt[1]', 'prompt[1] is not an integer from 0 to 100351'],
    [{ prompt: [1, 100_352] }, 'invalid_request', 'prompt[1]', 'prompt[1] is not an integer from 0 to 100351'],
    [{ prompt: [1.5] }, 'invalid_request', 'prompt[0]', 'prompt[0] is not an integer from 0 to 100351'],
    [{ prompt_token_ids: 'ab' }, 'invalid_request', 'prompt_token_ids', 'prompt_token_ids must be a list of token ids'],
  ])('refuses %j', async (body, code, param, message) => {
    const refused = complete(body);
    await expect(refused).rejects.toBeInstanceOf(EngineRefusal);
    await expect(refused).rejects.toMatchObject({ code, param, message });
  });

  it('refuses malformed messages as the engine', async () => {
    await expect(chat({ messages: [] })).rejects.toMatchObject({ name: 'EngineRefusal', param: 'messages' });
  });
});
