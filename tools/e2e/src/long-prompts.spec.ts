import { once } from 'node:events';
import http from 'node:http';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FinishReason, GenerateResponse, PrefillResponse, RoostError } from '@roost/protocol';
import { eventually } from '@roost/testing';

import { Cluster } from './harness/cluster.js';
import { FakeWorker, prefilled } from './harness/fake-worker.js';
import { bodyFor } from './harness/http-client.js';

// Owns: that workers get long prompts whole and unmixed, and clients the answers to theirs, while clients go away in all
// phases and workers are lost: an edge gives the memory of prompts back by itself, and must not do so while it is needed.

const REQUESTS = 240;
const AT_ONCE = 30;
const MARK_CHARS = 8;
/** 200 KB. */
const MARKS = 25_000;

const markOf = (number: number): string => `m${String(number).padStart(MARK_CHARS - 2, '0')}.`;
const promptOf = (mark: string): string => mark.repeat(MARKS);

/** The mark of a prompt; tells what is wrong with one that is not whole, or not one request's alone. */
function markIn(prompt: string): string {
  const mark = prompt.slice(0, MARK_CHARS);
  return prompt === promptOf(mark) ? mark : `spoilt: ${String(prompt.length)} characters from ${mark}`;
}

const promptIn = (body: Buffer): string => (JSON.parse(body.toString()) as { readonly prompt: string }).prompt;

/** When a client goes away; null: it does not. */
type Leaving = 'uploading' | 'waiting' | 'answered' | null;
const LEAVINGS: readonly Leaving[] = [null, 'uploading', null, 'waiting', null, 'answered'];

/** Sends a prompt and gives the answer as it came, or null to a client that goes away. */
async function send(url: string, number: number): Promise<string | null> {
  const leaving = LEAVINGS[number % LEAVINGS.length] ?? null;
  const body = Buffer.from(
    JSON.stringify(bodyFor('completions', promptOf(markOf(number)), { stream: number % 4 > 1 })),
  );
  const options = { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } };
  const request = http.request(`${url}/v1/completions`, options).on('error', () => undefined);
  const closed = new Promise((resolve) => request.once('close', resolve));
  if (leaving === 'uploading') {
    request.write(body.subarray(0, body.length >> 1), () => request.destroy());
    await closed;
    return null;
  }
  request.end(body);
  if (leaving === 'waiting') {
    request.once('finish', () => request.destroy());
    await closed;
    return null;
  }
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  if (leaving === 'answered') {
    request.destroy();
    return null;
  }
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += String(part);
  return text;
}

describe('long prompts', () => {
  let cluster: Cluster;
  let contexts: FakeWorker[];
  let generations: FakeWorker[];
  const seen: string[] = [];

  beforeAll(async () => {
    const start = (role: 'CONTEXT' | 'GENERATION'): Promise<FakeWorker[]> =>
      Promise.all([1, 2, 3].map(() => FakeWorker.start(role)));
    [contexts, generations] = await Promise.all([start('CONTEXT'), start('GENERATION')]);
    cluster = await Cluster.start({
      edge: { max_retries: 5 },
      servers: {
        context: contexts.map(({ address }) => address),
        generation: generations.map(({ address }) => address),
      },
    });
    for (const worker of contexts) {
      worker.script = {
        prefill: (request, before) => {
          const prompt = promptIn(request.body);
          seen.push(markIn(prompt));
          if (before % 10 === 9) throw new RoostError('internal', 'try another');
          const answer = prefilled(request, worker.address);
          // Some tell no tokens, and have the generation leg carry the body.
          const promptTokenIds = before % 3 === 0 ? Buffer.alloc(0) : Buffer.from(prompt);
          return PrefillResponse.fromPartial({ ...answer, promptTokenIds });
        },
      };
    }
    for (const worker of generations) {
      worker.script = {
        generate: ({ body, promptTokenIds }, before) => {
          const mark = markIn(promptTokenIds.length > 0 ? promptTokenIds.toString() : promptIn(body));
          seen.push(mark);
          if (before % 10 === 9) throw new RoostError('internal', 'try another');
          const usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 2 };
          return [
            GenerateResponse.fromPartial({ text: `<${mark}`, tokenIds: [1], rank: 0 }),
            GenerateResponse.fromPartial({
              text: '>',
              tokenIds: [2],
              finishReason: FinishReason.FINISH_REASON_STOP,
              usage,
            }),
          ];
        },
      };
    }
  }, 60_000);

  afterAll(async () => {
    await cluster.settleAndStop().finally(() => {
      for (const worker of [...contexts, ...generations]) worker.stop();
    });
  }, 30_000);

  it('reach workers whole and alone, and are answered each by its own', async () => {
    const wrong: string[] = [];
    let next = 0;
    const client = async (): Promise<void> => {
      while (next < REQUESTS) {
        const number = next++;
        if (number === REQUESTS / 3) contexts[0]?.stop();
        if (number === REQUESTS / 2) generations[0]?.stop();
        const answer = await send(cluster.url, number);
        if (answer?.includes(`<${markOf(number)}`) === false) wrong.push(`${String(number)}: ${answer.slice(0, 300)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    expect(wrong).toEqual([]);
    await eventually(() => seen.length >= REQUESTS / 2);
    expect(seen.filter((mark) => mark.startsWith('spoilt'))).toEqual([]);
  }, 30_000);
});
