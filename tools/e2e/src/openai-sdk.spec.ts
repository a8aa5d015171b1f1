import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { BadRequestError, NotFoundError } from 'openai';

import { Cluster } from './harness/cluster.js';
import { collect } from './harness/collect.js';
import { ask, bodyFor, chat, type Endpoint } from './harness/http-client.js';
import { promptOn } from './harness/private-text.js';

// Owns: what a user of the official client sees (reference 3.1, 3.2), and that an answer does not depend on how it is
// served or delivered.

const model = 'roost-simulated';

describe('the official client', () => {
  let cluster: Cluster;
  let client: OpenAI;
  let wholeUrl: string;

  beforeAll(async () => {
    cluster = await Cluster.start({ strangers: { whole: { role: null } } });
    client = new OpenAI({ apiKey: 'unused', baseURL: `${cluster.url}/v1`, maxRetries: 0 });
    wholeUrl = await cluster.addEdge('edge-whole', {
      context_servers: null,
      generation_servers: { urls: [cluster.addressOf('whole')] },
    });
  }, 60_000);

  afterAll(() => cluster.settleAndStop(), 30_000);

  const messages = (content: string): OpenAI.ChatCompletionMessageParam[] => [{ role: 'user', content }];

  it('gets a whole chat answer', async () => {
    const answer = await client.chat.completions.create({ model, messages: messages(promptOn('whole')) });
    expect(answer).toMatchObject({ object: 'chat.completion', model });
    expect(answer.id).toMatch(/^chatcmpl-/);
    expect(answer.choices).toHaveLength(1);
    expect(answer.choices[0]).toMatchObject({ index: 0, finish_reason: 'stop', message: { role: 'assistant' } });
    expect(answer.choices[0]?.message.content?.length).toBeGreaterThan(20);
    const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = answer.usage ?? {};
    expect(prompt_tokens).toBeGreaterThan(24);
    expect(completion_tokens).toBeGreaterThan(10);
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
  });

  it('streams a chat answer, with the usage last when it asks for it', async () => {
    const stream = await client.chat.completions.create({
      model,
      messages: messages(promptOn('stream')),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await collect(stream);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)?.choices).toEqual([]);
    expect(chunks.at(-1)?.usage?.completion_tokens).toBeGreaterThan(10);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.length).toBeGreaterThan(4);
  });

  it('streams no usage unasked', async () => {
    const stream = await client.chat.completions.create({
      model,
      messages: messages(promptOn('nousage')),
      stream: true,
    });
    const chunks = await collect(stream);
    expect(chunks.filter(({ usage }) => usage != null)).toEqual([]);
  });

  it('completes a text and a list of tokens', async () => {
    const text = await client.completions.create({ model, prompt: promptOn('text'), max_tokens: 9 });
    expect(text).toMatchObject({ object: 'text_completion', usage: { completion_tokens: 9 } });
    expect(text.choices[0]?.finish_reason).toBe('length');
    const tokens = Array.from({ length: 70 }, (_, index) => index + 300);
    const first = await client.completions.create({ model, prompt: tokens, max_tokens: 9 });
    const again = await client.completions.create({ model, prompt: tokens, max_tokens: 9 });
    expect(first.usage?.prompt_tokens).toBe(70);
    expect(again.choices[0]?.text).toBe(first.choices[0]?.text);
    expect(again.usage?.prompt_tokens_details?.cached_tokens).toBe(64);
  });

  it('lists the model', async () => {
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual([model]);
  });

  it('gets errors of its own classes', async () => {
    const badly = client.chat.completions.create({ model, messages: [], temperature: 7 });
    await expect(badly).rejects.toBeInstanceOf(BadRequestError);
    const nowhere = client.chat.completions.create({ model: 'nobody', messages: messages('hi') });
    await expect(nowhere).rejects.toBeInstanceOf(NotFoundError);
    await expect(nowhere).rejects.toMatchObject({ code: 'model_not_found', param: 'model' });
  });

  it('ends at a stop string, and before it', async () => {
    const whole = await chat(cluster.url, promptOn('stop'));
    const word = whole.text.split(' ')[6] ?? '';
    const stopped = await client.chat.completions.create({
      model,
      messages: messages(promptOn('stop')),
      stop: [` ${word}`],
    });
    expect(stopped.choices[0]?.finish_reason).toBe('stop');
    expect(stopped.choices[0]?.message.content).toBe(whole.text.slice(0, whole.text.indexOf(` ${word}`)));
  });

  it('leaves a stream in the middle, and nothing is left behind', async () => {
    const stream = await client.chat.completions.create({
      model,
      messages: messages(promptOn('leave')),
      stream: true,
      max_completion_tokens: 100_000,
      ...{ ignore_eos: true },
    });
    let chunks = 0;
    for await (const { choices } of stream) {
      chunks += choices.length;
      if (chunks === 5) break;
    }
    expect(chunks).toBe(5);
    await cluster.settled();
  });

  it('has more of its prompt cached with every turn', async () => {
    const history = messages(promptOn('turns', 80));
    const cached: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const answer = await client.chat.completions.create(
        { model, messages: history, max_completion_tokens: 60, ...{ ignore_eos: true } },
        { headers: { 'x-session-id': 'turns' } },
      );
      cached.push(answer.usage?.prompt_tokens_details?.cached_tokens ?? -1);
      history.push({ role: 'assistant', content: answer.choices[0]?.message.content ?? '' });
      history.push(...messages(promptOn(`more${String(turn)}`, 40)));
    }
    expect(cached[0]).toBe(0);
    expect(cached).toEqual(cached.toSorted((a, b) => a - b));
    expect(new Set(cached).size).toBe(4);
  });

  it.each<Endpoint>(['chat/completions', 'completions'])(
    'gets the same bytes from %s, served by one worker or two, whole or streamed',
    async (endpoint) => {
      const prompt = promptOn(`same-${endpoint}`, 100);
      for (const limit of [1, 2, 17, undefined]) {
        const answers = await Promise.all(
          [cluster.url, wholeUrl].flatMap((url) =>
            [false, true].map((stream) =>
              ask(
                url,
                endpoint,
                bodyFor(endpoint, prompt, {
                  max_tokens: limit,
                  stream,
                  ...(stream ? { stream_options: { include_usage: true } } : {}),
                }),
              ),
            ),
          ),
        );
        const seen = answers.map(({ text, finishReason, usage }) =>
          JSON.stringify([text, finishReason, usage?.prompt, usage?.completion]),
        );
        expect(new Set(seen).size).toBe(1);
        expect(answers[0]?.text).not.toBe('');
      }
    },
  );
});
