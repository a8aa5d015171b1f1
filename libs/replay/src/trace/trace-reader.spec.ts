import { describe, expect, it } from '@jest/globals';

import { row } from '../testing/small-trace.js';

import { NO_BLOCKS, promptBlocks } from './prompt-blocks.js';
import { TraceReader } from './trace-reader.js';
import type { Trace } from './trace.js';

/** Owns: the formats beside Weka's - Mooncake's and logs of edges - how each is told, and several files as one trace. */

async function read(...files: readonly (readonly object[])[]): Promise<Trace> {
  const reader = new TraceReader();
  for (const rows of files) await reader.read(linesOf(rows));
  return reader.finish();
}

async function* linesOf(rows: readonly (object | string)[]): AsyncGenerator<string> {
  await Promise.resolve();
  for (const each of rows) yield typeof each === 'string' ? each : JSON.stringify(each);
}

function promptsOf({ sessions }: Trace): Record<string, number[][]> {
  const prompts: Record<string, number[][]> = {};
  for (const { id, agents } of sessions)
    for (const agent of agents) {
      let blocks = NO_BLOCKS;
      prompts[`${id}/${agent.id}`] = agent.requests.map((request) => [...(blocks = promptBlocks(blocks, request))]);
    }
  return prompts;
}

function mooncake(timestamp: number, input_length: number, hash_ids: readonly number[]): object {
  return { timestamp, input_length, output_length: 7, hash_ids };
}

describe("Mooncake's traces", () => {
  it('are read in blocks of 64, the last block as far as it is full', async () => {
    const trace = await read([mooncake(0, 512 + 130, [0, 9]), mooncake(5, 512 + 64, [0, 4])]);
    const [first = [], second = []] = Object.values(promptsOf(trace)).map(([prompt = []]) => prompt);
    expect([first.length, second.length]).toEqual([10, 9]);
    expect(second.slice(0, 8)).toEqual(first.slice(0, 8));
    expect(first).not.toContain(second[8]);
  });

  it('have a conversation go on where all its full blocks come again, at the recorded times', async () => {
    const trace = await read([
      mooncake(1000, 1024 + 5, [0, 1, 2]),
      mooncake(1500, 1024, [0, 3]),
      mooncake(4000, 1536 + 5, [0, 1, 4, 5]),
      mooncake(5000, 512, [0]),
    ]);
    expect(trace.sessions.map(({ recordedStart, agents: [main] }) => [recordedStart, main?.requests.length])).toEqual([
      [1000, 2],
      [1500, 1],
      [5000, 1],
    ]);
    expect(trace.sessions[0]?.agents[0]?.requests[1]).toMatchObject({ think: 3000, keep: 16, outputTokens: 7 });
  });

  it('are refused where lengths and blocks do not agree', async () => {
    await expect(read([mooncake(0, 513, [0])])).rejects.toThrow('line 1: hash_ids has 1 blocks, where');
    await expect(read([mooncake(0, 512, [-1])])).rejects.toThrow('line 1: hash_ids must be a list of block ids');
  });
});

const A = 'a'.repeat(16);
const B = 'b'.repeat(16);
const C = 'c'.repeat(16);

function logged(fields: object): object {
  return {
    roost_trace: 1,
    at: 100,
    conversation: 'one',
    parent: null,
    model: 'm',
    in: 70,
    out: 3,
    api_s: 2,
    outcome: 'ok',
    tokens_per_block: 64,
    keep: 0,
    new: [A],
    ...fields,
  };
}

describe('logs of edges', () => {
  it('are ordered by arrival, put together from deltas, and grouped by parents', async () => {
    const trace = await read([
      logged({ conversation: 'child', parent: 'one', at: 101, in: 129, new: [A, B] }),
      logged({}),
      logged({ at: 105, keep: 1, new: [C], in: 128 }),
    ]);
    expect(promptsOf(trace)).toEqual({ 'one/one': [[0], [0, 2]], 'one/child': [[0, 1]] });
    const [session] = trace.sessions;
    const [main, child] = session?.agents ?? [];
    expect(session?.recordedStart).toBe(0);
    expect(main?.requests[1]).toMatchObject({ think: 3000, recordedAt: 5000, inputTokens: 128 });
    expect(child?.parent).toBe(main);
    expect(child?.requests[0]?.recordedAt).toBe(1000);
  });

  it('leave out what failed and what has no blocks, and keep what has no conversation apart', async () => {
    const trace = await read([
      logged({ outcome: 'no_instance' }),
      logged({ keep: undefined, new: null }),
      logged({ conversation: null }),
      logged({ conversation: null }),
    ]);
    expect(promptsOf(trace)).toEqual({ 'anonymous-1/anonymous-1': [[0]], 'anonymous-2/anonymous-2': [[0]] });
    await expect(read([logged({ outcome: 'no_instance' })])).rejects.toThrow('no request was answered');
  });

  it('of several edges are one traffic', async () => {
    const trace = await read([logged({})], [logged({ at: 110, in: 130, new: [A, B] })]);
    expect(promptsOf(trace)).toEqual({ 'one/one': [[0], [0, 1]] });
  });

  it('never make a conversation descend from itself', async () => {
    const trace = await read([
      logged({ conversation: 'x', parent: 'y' }),
      logged({ conversation: 'y', parent: 'x', at: 101 }),
      logged({ conversation: 'z', parent: 'z', at: 102 }),
      logged({ conversation: 'w', parent: 'gone', at: 103 }),
    ]);
    expect(Object.keys(promptsOf(trace))).toEqual(['y/x', 'y/y', 'z/z', 'w/w']);
  });

  it('may end in a line that was not written whole, which is told', async () => {
    const torn = JSON.stringify(logged({ at: 110 })).slice(0, 40);
    const reader = new TraceReader();
    expect(await reader.read(linesOf([logged({}), torn, '']))).toBe(2);
    expect(await reader.read(linesOf([logged({ at: 120 })]))).toBeNull();
    expect(reader.finish().numRequests).toBe(2);
  });

  it('are refused with such a line anywhere else, and alone', async () => {
    const read = (...lines: (object | string)[]): Promise<unknown> => new TraceReader().read(linesOf(lines));
    await expect(read(logged({}), '{"roost_tr', logged({}))).rejects.toThrow('line 2: not JSON');
    await expect(read(logged({}), '{"roost_tr', '{"roost_tr')).rejects.toThrow('line 2: not JSON');
    await expect(read('{"roost_tr')).rejects.toThrow('line 1: not JSON');
    await expect(read(row({}), '{"session')).rejects.toThrow('line 2: not JSON');
  });

  it.each([
    [{ keep: 2 }, 'line 1: keep is 2 of a prompt of 0 blocks'],
    [{ new: ['0x1'] }, 'line 1: new must be a list of block hashes'],
    [{ tokens_per_block: 32 }, 'line 1: tokens_per_block must be'],
  ])('are refused with %j', async (fields, message) => {
    await expect(read([logged(fields)])).rejects.toThrow(message);
  });
});

it('several files of other formats share neither blocks nor sessions', async () => {
  const weka = [row({ session: 's', ids: 'global' })];
  const trace = await read(weka, weka, [mooncake(0, 64, [0])]);
  expect(trace).toMatchObject({ numBlocks: 3, numRequests: 3 });
  expect(promptsOf(trace)).toEqual({
    '1:s/main': [[0]],
    '2:s/main': [[1]],
    '3:conversation-1/main': [[2]],
  });
});
