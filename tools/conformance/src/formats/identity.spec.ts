import { expect, test } from '@jest/globals';

import type { Mismatch } from '../vector-format.js';

import { identity } from './identity.js';

const IDENTITY = [
  {
    name: 'sub-agent',
    conversation_affinity_header_for_subagents: 'X-Parent',
    headers: { 'x-session-id': 'child', 'x-parent': 'parent' },
    body: { model: 'm' },
    expect: { conversation_id: 'child', subagent_affinity_id: 'parent', routing_key: 'parent' },
  },
  {
    name: 'own id is made up',
    conversation_affinity_header_for_subagents: 'X-Parent',
    headers: { 'x-parent': ['parent'] },
    body: { model: 'm' },
    expect: {
      conversation_id: null,
      conversation_id_prefix: 'subagent:',
      subagent_affinity_id: 'parent',
      routing_key: 'parent',
    },
  },
  {
    name: 'refused',
    conversation_affinity_header_for_subagents: null,
    headers: {},
    body: { conversation_params: { conversation_id: 'x', tier: 1 } },
    expect: { error_status: 400, error_contains: 'tier' },
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
  const parsed = identity.parse(JSON.stringify(document));
  return identity.cases(parsed).flatMap(({ replay }) => replay());
}

test('identities that are ours pass', () => {
  expect(play(IDENTITY)).toEqual([]);
});

test('a case is labelled by its name', () => {
  expect(identity.cases(IDENTITY)[0]?.label).toBe('case 0 (sub-agent)');
});

test.each([
  [[0, 'expect', 'routing_key'], 'child', { at: 'routing_key', expected: 'child', got: 'parent' }],
  [
    [1, 'expect', 'conversation_id_prefix'],
    'agent:',
    { at: 'conversation_id_prefix', expected: 'agent:', got: 'subagent:id-of-this-replay' },
  ],
  [[2, 'expect', 'error_status'], 422, { at: 'error_status', expected: 422, got: 400 }],
  [
    [2, 'expect', 'error_contains'],
    'rank',
    { at: 'error_contains', expected: 'rank', got: 'conversation_params.tier is not a known field' },
  ],
  [
    [2, 'body'],
    {},
    {
      at: 'error_status',
      expected: 400,
      got: { conversation_id: null, subagent_affinity_id: null, routing_key: null },
    },
  ],
  [
    [0, 'body'],
    { conversation_params: 7 },
    {
      at: 'identity',
      expected: IDENTITY[0]?.expect,
      got: { error_status: 400, error: 'conversation_params must be an object' },
    },
  ],
])('a wrong expectation is a mismatch: %p', (steps, value, mismatch) => {
  expect(play(changed(IDENTITY, steps, value))).toEqual([mismatch]);
});

test.each([
  [changed(IDENTITY, [0, 'expect', 'tenant'], 'x'), 'case.expect.tenant is nothing that can be checked'],
  [changed(IDENTITY, [0, 'expect'], {}), 'case.expect.subagent_affinity_id is missing'],
  [changed(IDENTITY, [0, 'headers'], []), 'case.headers must be an object, not a list'],
  [{}, 'file must be a list, not an object'],
])('%#. refuses what is not made as the format says: %s', (document, message) => {
  expect(() => play(document)).toThrow(message);
});
