import { describe, expect, it } from '@jest/globals';

import { parseClusterConfig } from '../parse-cluster-config.js';
import { refusalOf } from '../testing/refusal-of.js';

// The rules of reference 1.2: where the key may stand, and that no two places differ.

const text = (top: string, context: string, generation: string, name = 'internal_request_auth_key') =>
  [
    top && `${name}: ${top}`,
    `context_servers: {urls: ["c:1"]${context && `, ${name}: ${context}`}}`,
    `generation_servers: {urls: ["g:1"]${generation && `, ${name}: ${generation}`}}`,
  ].join('\n');
const keyOf = (yaml: string) => parseClusterConfig(yaml).config.internal_request_auth_keys.map((key) => key.reveal());

describe('internal_request_auth_key', () => {
  it.each([
    ['top level only', 'key-a', '', ''],
    ['context section only', '', 'key-a', ''],
    ['generation section only', '', '', 'key-a'],
    ['both sections', '', 'key-a', 'key-a'],
    ['everywhere', 'key-a', 'key-a', 'key-a'],
  ])('may stand at: %s', (_, top, context, generation) => {
    expect(keyOf(text(top, context, generation))).toEqual(['key-a']);
  });

  it.each([
    ['context_servers', 'key-a', 'key-b', ''],
    ['generation_servers', 'key-a', '', 'key-b'],
    ['generation_servers', 'key-a', 'key-a', 'key-b'],
  ])('must match between the top level and %s', (section, top, context, generation) => {
    const error = refusalOf(() => parseClusterConfig(text(top, context, generation)));
    expect(error.problems.map(({ message }) => message)).toEqual([
      `internal_request_auth_key must match between the top-level config and ${section}`,
    ]);
    expect(error.message).not.toMatch(/key-[ab]/);
  });

  it('must match between the sections', () => {
    const error = refusalOf(() => parseClusterConfig(text('', 'key-a', 'key-b')));
    expect(error.problems).toEqual([
      {
        path: 'generation_servers.internal_request_auth_key',
        message: 'internal_request_auth_key must match between context_servers and generation_servers',
        line: 3,
      },
    ]);
    expect(error.message).not.toMatch(/key-[ab]/);
  });

  it('is refused under the path that it was written at', () => {
    const { problems } = refusalOf(() => parseClusterConfig(text('', '5', '')));
    expect(problems).toEqual([
      {
        path: 'context_servers.internal_request_auth_key',
        message: 'internal_request_auth_key must be a non-empty string',
        line: 2,
      },
    ]);
  });

  it('matches by its value, wherever it is read from', () => {
    const yaml = text('env:KEY', 'key-a', '');
    expect(parseClusterConfig(yaml, { env: { KEY: 'key-a' } }).config.internal_request_auth_keys).toHaveLength(1);
  });
});

describe('internal_request_auth_previous_keys', () => {
  const previous = (top: string, context: string, generation: string) =>
    `internal_request_auth_key: key-a\n${text(top, context, generation, 'internal_request_auth_previous_keys').trim()}`;

  it.each([
    ['[key-b, key-c]', '', ''],
    ['', '[key-b, key-c]', ''],
    ['', '[key-b, key-c]', '[key-b, key-c]'],
  ])('verify after the key that signs: %s %s %s', (top, context, generation) => {
    expect(keyOf(previous(top, context, generation))).toEqual(['key-a', 'key-b', 'key-c']);
  });

  it('must match as the key does', () => {
    const error = refusalOf(() => parseClusterConfig(previous('[key-b]', '', '[key-c]')));
    expect(error.problems.map(({ message }) => message)).toEqual([
      'internal_request_auth_previous_keys must match between the top-level config and generation_servers',
    ]);
  });

  it('are a list of strings', () => {
    for (const wrong of ['key-b', '[1]', '[""]'])
      expect(refusalOf(() => parseClusterConfig(previous(wrong, '', ''))).problems).toEqual([
        {
          path: 'internal_request_auth_previous_keys',
          message: 'internal_request_auth_previous_keys must be a list of non-empty strings',
          line: 2,
        },
      ]);
  });
});
