import { describe, expect, it } from '@jest/globals';

import { row } from '../testing/small-trace.js';

import { NO_BLOCKS, promptBlocks } from './prompt-blocks.js';
import { readTrace } from './read-trace.js';
import type { TraceRow } from './trace-row.js';
import type { Trace, TraceAgent } from './trace.js';

/** Owns: how rows become a trace - deltas, numbering, families - and where a file is at fault. */

async function read(...rows: readonly (TraceRow | string)[]): Promise<Trace> {
  const lines = rows.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return await readTrace(
    (async function* () {
      await Promise.resolve();
      yield* lines;
    })(),
  );
}

function agentsOf({ sessions }: Trace): TraceAgent[] {
  return sessions.flatMap(({ agents }) => agents);
}

/** The block numbers of all requests of each agent. */
function promptsOf(trace: Trace): number[][][] {
  return agentsOf(trace).map(({ requests }) => {
    let blocks = NO_BLOCKS;
    return requests.map((request) => [...(blocks = promptBlocks(blocks, request))]);
  });
}

describe('readTrace', () => {
  it('puts prompts together from deltas and ranges, and numbers their blocks', async () => {
    const trace = await read(
      row({ in: 64 * 4, new: [5, [8, 3]] }),
      row({ seq: 1, in: 64 * 5, keep: 3, new: [[20, 2]] }),
      row({ seq: 2, in: 64 * 3 + 63, keep: 3, new: [] }),
      row({ seq: 3, in: 64 * 4, keep: 3, new: [10] }),
    );
    expect(promptsOf(trace)).toEqual([
      [
        [0, 1, 2, 3],
        [0, 1, 2, 4, 5],
        [0, 1, 2],
        [0, 1, 2, 3],
      ],
    ]);
    expect(trace).toMatchObject({ numBlocks: 6, numRequests: 4, tokensPerBlock: 64 });
  });

  it('tells ids of sessions apart unless they are global, and models always', async () => {
    const trace = await read(
      row({ session: 'a' }),
      row({ session: 'b' }),
      row({ session: 'c', ids: 'global' }),
      row({ session: 'd', ids: 'global' }),
      row({ session: 'e', ids: 'global', model: 'n' }),
    );
    expect(promptsOf(trace).flat(2)).toEqual([0, 1, 2, 2, 3]);
  });

  it('keeps no block when an agent changes its model', async () => {
    const trace = await read(
      row({ in: 128, new: [1, 2] }),
      row({ seq: 1, in: 192, keep: 2, new: [3], model: 'n' }),
      row({ seq: 2, in: 256, keep: 3, new: [4], model: 'n' }),
    );
    expect(promptsOf(trace)).toEqual([
      [
        [0, 1],
        [2, 3, 4],
        [2, 3, 4, 5],
      ],
    ]);
    expect(agentsOf(trace)[0]?.requests.map(({ keep }) => keep)).toEqual([0, 0, 3]);
  });

  it('finds parents that come later, and keeps times in milliseconds', async () => {
    const trace = await read(
      row({ agent: 'sa01', parent: 'sa00', t: 2 }),
      row({ agent: 'sa00', parent: 'main', t: 1, subagent_type: 'Explore' }),
      row({ t: 0, api_s: 1.5 }),
      row({ t: 4, seq: 1, keep: 1, new: [] }),
      row({ t: 4, seq: 2, keep: 1, new: [], think_s: 0.25 }),
    );
    const [grandchild, child, main] = agentsOf(trace);
    expect(grandchild?.parent).toBe(child);
    expect(child).toMatchObject({ id: 'sa00', type: 'Explore', parent: { id: 'main' } });
    expect(main).toMatchObject({ parent: null, type: null });
    expect(main?.requests.map(({ recordedAt, think }) => [recordedAt, think])).toEqual([
      [0, 0],
      [4000, 2500],
      [4000, 250],
    ]);
  });

  it.each<[string, string, (TraceRow | string)[]]>([
    ['a bad line, blank ones counted', 'line 3: not JSON', [row({}), '', '{']],
    ['a request left out', 'line 2: seq is 2, where 1 is next', [row({}), row({ seq: 2 })]],
    ['an agent that begins late', 'line 1: seq is 1, where 0 is next', [row({ seq: 1 })]],
    [
      'more kept than there was',
      'line 2: keep is 2 of a prompt of 1 blocks',
      [row({}), row({ seq: 1, in: 128, keep: 2, new: [] })],
    ],
    [
      'a block behind two others',
      'line 2: block 3 follows another block than it did before',
      [row({ in: 192, new: [1, 2, 3] }), row({ agent: 'b', in: 128, new: [1, 3] })],
    ],
    ['a block twice in a prompt', 'line 1: block 1 follows another', [row({ in: 128, new: [1, 1] })]],
    ['an unknown parent', 'line 1: parent ghost is not an agent', [row({ parent: 'ghost' })]],
    ['a family circle', 'descends from itself', [row({ agent: 'a', parent: 'b' }), row({ agent: 'b', parent: 'a' })]],
    ['nothing', 'line 1: the trace ends here without a request', ['']],
  ])('refuses %s', async (_, message, rows) => {
    await expect(read(...rows)).rejects.toThrow(message);
  });
});
