import { expect, test } from '@jest/globals';

import type { Mismatch } from '../vector-format.js';

import { conversationRouter } from './conversation-router.js';

const CONVERSATION_ROUTER = [
  {
    servers: ['host-0:1', 'host-1:1'],
    max_sessions: 4,
    ops: [
      { op: 'route', request: 0, conversation_id: 'a', text_chars: 50, server: 'host-0:1' },
      { op: 'route', request: 1, conversation_id: 'b', text_chars: 5, server: 'host-1:1' },
      { op: 'route', request: 2, conversation_id: 'c', subagent_affinity_id: 'a', text_chars: 5, server: 'host-0:1' },
      { op: 'finish', request: 0 },
      { op: 'remove_server', server: 'host-1:1' },
      { op: 'route', request: 3, conversation_id: 'd', text_chars: 5, exclude: 'host-0:1', server: null },
      { op: 'finish', request: 3 },
      { op: 'add_server', server: 'host-2:1' },
      { op: 'route', request: 4, conversation_id: 'b', text_chars: 10, server: 'host-2:1' },
    ],
    final_bindings: [
      ['a', 'host-0:1'],
      ['b', 'host-2:1'],
    ],
    final_load: { 'host-0:1': 1, 'host-2:1': 2 },
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
  const parsed = conversationRouter.parse(JSON.stringify(document));
  return conversationRouter.cases(parsed).flatMap(({ replay }) => replay());
}

test('routing that is ours passes', () => {
  expect(play(CONVERSATION_ROUTER)).toEqual([]);
});

test.each([
  [[0, 'ops', 2, 'server'], 'host-1:1', { at: 'op 2 (request 2), server', expected: 'host-1:1', got: 'host-0:1' }],
  [[0, 'ops', 5, 'server'], 'host-0:1', { at: 'op 5 (request 3), server', expected: 'host-0:1', got: null }],
  [
    [0, 'final_bindings', 0],
    ['a', 'host-2:1'],
    {
      at: 'final_bindings',
      expected: [
        ['a', 'host-2:1'],
        ['b', 'host-2:1'],
      ],
      got: [
        ['a', 'host-0:1'],
        ['b', 'host-2:1'],
      ],
    },
  ],
  [
    [0, 'final_load', 'host-0:1'],
    0,
    { at: 'final_load', expected: { 'host-0:1': 0, 'host-2:1': 2 }, got: { 'host-0:1': 1, 'host-2:1': 2 } },
  ],
])('a wrong expectation is a mismatch: %p', (steps, value, mismatch) => {
  expect(play(changed(CONVERSATION_ROUTER, steps, value))).toEqual([mismatch]);
});

test.each([
  [
    changed(CONVERSATION_ROUTER, [0, 'ops', 3, 'op'], 'renew'),
    'case.ops[3].op must be route, finish, add_server or remove_server, not renew',
  ],
  [changed(CONVERSATION_ROUTER, [0, 'ops', 3, 'request'], 77), 'case.ops[3].request was not routed before'],
  [changed(CONVERSATION_ROUTER, [0, 'ops', 0, 'conversation_id'], null), 'has no id, and no text to route it by'],
  [changed(CONVERSATION_ROUTER, [0, 'servers', 0], 1), 'case.servers[0] must be a text'],
  [changed(CONVERSATION_ROUTER, [0, 'final_load'], undefined), 'case.final_load is missing'],
  [null, 'file must be a list, not null'],
])('%#. refuses what is not made as the format says: %s', (document, message) => {
  expect(() => play(document)).toThrow(message);
});
