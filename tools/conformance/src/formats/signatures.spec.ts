import { describe, expect, test } from '@jest/globals';

import type { Mismatch } from '../vector-format.js';

import { signatures } from './signatures.js';

const SIGNATURES = {
  subagent_affinity: [
    {
      key: 'secret',
      role: 'CONTEXT',
      model: 'test-model',
      conversation_id: 'child',
      subagent_affinity_id: 'parent',
      request_type: 'context_only',
      disagg_request_id: '42',
      canonical_json:
        '{"conversation_id":"child","disagg_request_id":42,"model":"test-model","purpose":"x-trtllm-subagent-affinity-id","request_type":"context_only","role":"CONTEXT","subagent_affinity_id":"parent"}',
      signature: 'sha256=62c51cfa1713d6ad8cb87f9615f46c9beb492bddb8aa3904e57feb446e0b307e',
    },
    {
      key: 'secret',
      role: 'CONTEXT',
      model: 'test-model',
      conversation_id: 'kind-\u00e9-\u{1F600}\u007f',
      subagent_affinity_id: 'parent',
      request_type: 'context_only',
      disagg_request_id: '548424870944926123',
      canonical_json:
        '{"conversation_id":"kind-\\u00e9-\\ud83d\\ude00\\u007f","disagg_request_id":548424870944926123,"model":"test-model","purpose":"x-trtllm-subagent-affinity-id","request_type":"context_only","role":"CONTEXT","subagent_affinity_id":"parent"}',
      signature: 'sha256=c995776b7716e49ed40c210a46c3b1630c19c27cde218d4301d9bd9c1693dfc7',
    },
  ],
  kv_transfer: [
    {
      key: 'secret',
      ctx_info_endpoint: ['tcp://10.0.0.1:5000', 'tcp://10.0.0.2:5000'],
      encoded_opaque_state: null,
      canonical_json: '{"ctx_info_endpoint":"tcp://10.0.0.1:5000","encoded_opaque_state":null}',
      signature: 'sha256=9f231f1556947f2cc0d68b742964cb16e8662f6b41262d536be4f2692f786130',
    },
  ],
};

/** The document with one value in it changed; the path leads to it. */
function changed<T>(document: T, steps: readonly (string | number)[], value: unknown): T {
  const [step, ...rest] = steps;
  if (step === undefined) return value as T;
  const copy = structuredClone(document) as Record<string | number, unknown>;
  copy[step] = changed(copy[step], rest, value);
  return copy as T;
}

function play(document: unknown): readonly Mismatch[] {
  const parsed = signatures.parse(JSON.stringify(document));
  return signatures.cases(parsed).flatMap(({ replay }) => replay());
}

test('signatures that are ours pass', () => {
  expect(play(SIGNATURES)).toEqual([]);
  expect(signatures.cases(SIGNATURES).map(({ label }) => label)).toEqual([
    'subagent_affinity[0]',
    'subagent_affinity[1]',
    'kv_transfer[0]',
  ]);
});

test('ids are exact, also where they are written as numbers', () => {
  const text = JSON.stringify(SIGNATURES).replace('"548424870944926123"', '548424870944926123');
  expect(signatures.cases(signatures.parse(text)).flatMap(({ replay }) => replay())).toEqual([]);
});

test('absent and null are the same', () => {
  const path = ['kv_transfer', 0, 'encoded_opaque_state'];
  expect(play(changed(SIGNATURES, path, undefined))).toEqual([]);
});

describe('a wrong expectation is a mismatch', () => {
  test('signature', () => {
    const wrong = changed(SIGNATURES, ['subagent_affinity', 1, 'signature'], 'sha256=00');
    expect(play(wrong)).toEqual([
      { at: 'signature', expected: 'sha256=00', got: SIGNATURES.subagent_affinity[1]?.signature },
      { at: 'verification of the signature', expected: true, got: false },
    ]);
  });

  test('canonical JSON', () => {
    const wrong = changed(SIGNATURES, ['kv_transfer', 0, 'canonical_json'], '{}');
    expect(play(wrong)).toEqual([
      { at: 'canonical_json', expected: '{}', got: SIGNATURES.kv_transfer[0]?.canonical_json },
    ]);
  });
});

test.each([
  [changed(SIGNATURES, ['kv_transfer', 0], null), 'case must be an object, not null'],
  [
    changed(SIGNATURES, ['subagent_affinity', 0, 'disagg_request_id'], '4x'),
    'case.disagg_request_id must be an integer',
  ],
  [changed(SIGNATURES, ['subagent_affinity', 0, 'key'], undefined), 'case.key is missing'],
  [{ subagent_affinity: [] }, 'file.kv_transfer is missing'],
  [[], 'file must be an object, not a list'],
])('%#. refuses what is not made as the format says: %s', (document, message) => {
  expect(() => play(document)).toThrow(message);
});
