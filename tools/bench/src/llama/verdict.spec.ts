// Owns what counts as a failure of the run with a real model, and the order in which a family asks.
import { describe, expect, it } from '@jest/globals';
import type { DemoAnswer, DemoRequest, DemoResult } from '@roost/cli';

import { type FamilyRun, runFamily } from './family-run.js';
import { compareTimes, faultsOf } from './verdict.js';

const result = { context_instance: 'a:1', context_rank: 0, prompt_tokens: 2000, cached_tokens: 0, ttft_ms: 9000 };

function answer(more: Partial<DemoResult>, text = 'Yes.'): DemoAnswer {
  return { text, result: { ...result, ...more } as DemoResult };
}

function family(more: Partial<FamilyRun> = {}): FamilyRun {
  return {
    parent: answer({}),
    withHeader: answer({ prompt_tokens: 2050, cached_tokens: 2000, ttft_ms: 1000 }),
    withoutHeader: answer({ context_instance: 'b:1', prompt_tokens: 2050 }),
    ...more,
  };
}

describe('faultsOf', () => {
  it('finds none where the sub-agent followed its parent', () => {
    expect(faultsOf(family())).toEqual([]);
  });

  it.each([
    ['another instance', { context_instance: 'b:1', cached_tokens: 2000 }, 'ran on b:1#0, its parent on a:1#0'],
    ['another rank', { context_rank: 1, cached_tokens: 2000 }, 'ran on a:1#1'],
    ['too little cached', { cached_tokens: 1500 }, '1500 tokens were cached, of 2000'],
    ['nothing told of the cache', { cached_tokens: null }, 'null tokens were cached'],
  ])('names %s', (_, more, said) => {
    expect(faultsOf(family({ withHeader: answer(more) })).join()).toContain(said);
  });

  it('names an edge that tells no place, and answers that differ or are none', () => {
    const untold = { context_instance: null, cached_tokens: 2000 };
    expect(faultsOf(family({ parent: answer(untold), withHeader: answer(untold) }))).toEqual([
      'the edge does not tell where the parent ran',
    ]);
    const differ = ['the answers with and without a cache differ'];
    expect(faultsOf(family({ withoutHeader: answer({}, 'No.') }))).toEqual(differ);
    const silent = { withHeader: answer({ cached_tokens: 2000 }, ''), withoutHeader: answer({}, '') };
    expect(faultsOf(family(silent))).toEqual(differ);
  });
});

describe('compareTimes', () => {
  it('asks for a third of the median at most', () => {
    const runs = (ttft: number): FamilyRun[] =>
      [ttft, 1, 50_000].map((ttft_ms) => family({ withHeader: answer({ ttft_ms }) }));
    expect(compareTimes(runs(3000))).toMatchObject({ share: 1 / 3, isShort: true });
    expect(compareTimes(runs(3001)).isShort).toBe(false);
  });

  it('is not content where a time is missing in all', () => {
    expect(compareTimes([family({ withHeader: answer({ ttft_ms: null }) })]).isShort).toBe(false);
  });
});

describe('runFamily', () => {
  it.each([
    [true, [null, 'parent-x', null]],
    [false, [null, null, 'parent-x']],
  ])('lets one sub-agent name its parent, with it first: %s', async (headerFirst, parents) => {
    const sent: DemoRequest[] = [];
    const run = await runFamily('x', headerFirst, (request) => {
      sent.push(request);
      return Promise.resolve(answer({ session_id: request.sessionId }, 'A plan.'));
    });
    expect(sent.map(({ parentSessionId }) => parentSessionId)).toEqual(parents);
    expect(sent[1]?.messages).toEqual(sent[2]?.messages);
    expect(sent[1]?.messages.slice(0, 2)).toEqual(sent[0]?.messages);
    expect(new Set(sent.map(({ sessionId }) => sessionId)).size).toBe(3);
    expect(run.withHeader.result.session_id).toContain('with_parent_header');
  });
});
