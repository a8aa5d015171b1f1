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

  it('refuses a text of too many tokens as soon as it knows, not when all is encoded', async () => {
    class CountingEncoder extends PromptEncoder {
      steps = 0;

      override *encodeInSteps(segments: Parameters<PromptEncoder['encodeInSteps']>[0]): Generator<Uint32Array> {
        for (const step of super.encodeInSteps(segments)) {
          this.steps += 1;
          yield step;
        }
      }
    }
    const counting = new CountingEncoder(0);
    const turn = { endpoint: 'completions', body: { prompt: 'the words of a long prompt\n'.repeat(40_000) } } as const;
    await expect(tokenizeTurn(counting, turn, 5_000)).rejects.toMatchObject({
      name: 'EngineRefusal',
      code: 'context_length_exceeded',
      param: 'prompt',
      message: "the model's context is 5000 tokens; the prompt has more: shorten it",
    });
    expect(counting.steps).toBeLessThan(5);
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
