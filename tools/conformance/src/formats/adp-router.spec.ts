import { describe, expect, test } from '@jest/globals';

import type { Mismatch } from '../vector-format.js';

import { adpRouter } from './adp-router.js';

const IDLE = [0, 1].map((rank) => ({ rank, num_active_requests: 0, num_active_tokens: 0 }));

const ADP_ROUTER = [
  {
    router: 'conversation',
    num_ranks: 2,
    max_num_active_requests: 4,
    new_conv_placement: 'round_robin',
    fair_share_multiplier: 2.0,
    max_sessions: 8,
    steps: [
      {
        ranks: IDLE,
        requests: [
          { id: 0, num_input_tokens: 9, conversation_id: 'a' },
          { id: 1, num_input_tokens: 9, conversation_id: 'b', attention_dp_rank: 1, attention_dp_relax: false },
        ],
        assignments: { 0: [0], 1: [1] },
        expected_num_active_requests: 2,
      },
      {
        ranks: IDLE,
        requests: [{ id: 2, num_input_tokens: 9, conversation_id: 'c', subagent_affinity_id: 'b' }],
        assignments: { 0: [], 1: [2] },
        expected_num_active_requests: 2,
      },
    ],
  },
];

/** The document with one value in it changed; the path leads to it. */
function changed<T>(document: T, steps: readonly (string | number)[], value: unknown): T {
  const [step, ...rest] = steps;
  if (step === undefined) return value as T;
  const copy = structuredClone(document) as Record<string | number, unknown>;
  copy[step] = changed(copy[step], rest, value);
  return copy as T;
}

function play(document: unknown): readonly Mismatch[] {
  const parsed = adpRouter.parse(JSON.stringify(document));
  return adpRouter.cases(parsed).flatMap(({ replay }) => replay());
}

test('assignments that are ours pass', () => {
  expect(play(ADP_ROUTER)).toEqual([]);
});

describe('a wrong expectation is a mismatch', () => {
  test('assignments', () => {
    const expected = { 0: [2], 1: [] };
    expect(play(changed(ADP_ROUTER, [0, 'steps', 1, 'assignments'], expected))).toEqual([
      { at: 'step 1, assignments', expected, got: { 0: [], 1: [2] } },
    ]);
  });

  test('order on a rank', () => {
    const ids = [1, 0];
    const requests = ids.map((id) => ({ id, num_input_tokens: 1, conversation_id: 'a' }));
    const both = changed(ADP_ROUTER, [0, 'steps', 0, 'requests'], requests);
    const wrong = changed(both, [0, 'steps', 0, 'assignments'], { 0: [0, 1], 1: [] });
    expect(play(wrong)).toContainEqual({
      at: 'step 0, assignments',
      expected: { 0: [0, 1], 1: [] },
      got: { 0: [1, 0], 1: [] },
    });
  });

  test('expected number of active requests', () => {
    expect(play(changed(ADP_ROUTER, [0, 'steps', 0, 'expected_num_active_requests'], 3))).toEqual([
      { at: 'step 0, expected_num_active_requests', expected: 3, got: 2 },
    ]);
  });
});

test.each([
  [changed(ADP_ROUTER, [0, 'router'], 'random'), 'case.router must be conversation or default, not random'],
  [changed(ADP_ROUTER, [0, 'steps', 0, 'ranks', 1], {}), 'case.steps[0].ranks[1].rank is missing'],
  [changed(ADP_ROUTER, [0, 'steps', 0, 'ranks', 1, 'rank'], 5), 'numbered from 0'],
  [
    changed(ADP_ROUTER, [0, 'steps', 0, 'requests', 1, 'attention_dp_relax'], 1),
    'attention_dp_relax must be true or false',
  ],
  [changed(ADP_ROUTER, [0, 'max_num_active_requests'], 0), 'hard cap'],
  [{}, 'file must be a list, not an object'],
])('%#. refuses what is not made as the format says: %s', (document, message) => {
  expect(() => play(document)).toThrow(message);
});
