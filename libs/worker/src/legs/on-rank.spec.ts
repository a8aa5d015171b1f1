import { describe, expect, it } from '@jest/globals';
import { NO_SPAN, type Span } from '@roost/observability';
import { RoostError } from '@roost/protocol';

import type { RankPlacement, RankQueue, RankRequest } from '../scheduling/rank-queue.js';

import { runOnRank } from './on-rank.js';

// Owns: what is told of a leg's rank, and that the wait for it is traced however it ends.

const PLACEMENT: RankPlacement = { rank: 1, decision: 'parent', queueMs: 5 };
const STATE = {
  kvBlocksTotal: 9,
  kvBlocksPinned: 0,
  kvBlocksCached: 0,
  numPendingPrefillTokens: 0,
  numHeldHandoffs: 0,
};
const STATES = [
  { ...STATE, rank: 1, numActiveRequests: 3, numActiveTokens: 300 },
  { ...STATE, rank: 0, numActiveRequests: 1, numActiveTokens: 100 },
];

/** A span that notes how its children and itself end, each once. */
function noting(): { span: Span; ends: string[]; attributes: object } {
  const ends: string[] = [];
  const attributes = {};
  const spanOf = (name: string): Span => {
    let ended = false;
    return {
      ...NO_SPAN,
      child: spanOf,
      set: (more) => Object.assign(attributes, more),
      end: (outcome) => {
        if (!ended) ends.push(`${name} ${outcome}`);
        ended = true;
      },
    };
  };
  return { span: spanOf('leg'), ends, attributes };
}

const queueThat = (run: (job: (placement: RankPlacement) => Promise<unknown>) => Promise<unknown>): RankQueue => {
  const queue: Pick<RankQueue, 'run'> = {
    run: <T>(_request: RankRequest, _signal: AbortSignal, job: (placement: RankPlacement) => Promise<T>) =>
      run(job) as Promise<T>,
  };
  return queue as RankQueue;
};

describe('runOnRank', () => {
  const { signal } = new AbortController();
  const engine = { rankStates: () => STATES };

  it('tells why on that rank, and what every rank was working on, by number', async () => {
    const { span, ends, attributes } = noting();
    const queue = queueThat((job) => job(PLACEMENT));
    const rank = await runOnRank({ queue, engine }, {} as RankRequest, { span, signal }, (chosen) =>
      Promise.resolve(chosen),
    );
    expect(rank).toEqual({
      ...PLACEMENT,
      choice: {
        decision: 'parent',
        ranks: [
          { activeRequests: 1, activeTokens: 100 },
          { activeRequests: 3, activeTokens: 300 },
        ],
      },
    });
    expect(ends).toEqual(['queue ok']);
    expect(attributes).toEqual({ 'roost.rank': 1, 'roost.rank_decision': 'parent' });
  });

  it('ends the wait as it ended: without a rank, or with one whose job failed', async () => {
    const refused = new RoostError('overloaded', 'full');
    const failures: [RankQueue, string][] = [
      [queueThat(() => Promise.reject(refused)), 'queue overloaded'],
      [
        queueThat(() => {
          throw refused;
        }),
        'queue overloaded',
      ],
      [queueThat((job) => job(PLACEMENT)), 'queue ok'],
    ];
    for (const [queue, expected] of failures) {
      const { span, ends } = noting();
      const job = (): Promise<never> => Promise.reject(refused);
      await expect(runOnRank({ queue, engine }, {} as RankRequest, { span, signal }, job)).rejects.toBe(refused);
      expect(ends).toEqual([expected]);
    }
  });
});
