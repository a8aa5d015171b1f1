import { describe, expect, it } from '@jest/globals';

import { parseClusterConfig } from '../parse-cluster-config.js';
import { parseWorkerConfig } from '../parse-worker-config.js';
import { refusalOf } from '../testing/refusal-of.js';

// Overrides by environment variables.

const FILE = 'port: 1\ncontext_servers: {urls: ["c:1"]}\ngeneration_servers: {urls: ["g:1"]}';
const parse = (env: Record<string, string>) => parseClusterConfig(FILE, { env });

describe('environment variables', () => {
  it('override scalars at every depth', () => {
    const { config, warnings } = parse({
      ROOST_PORT: '9',
      ROOST_HOSTNAME: '10',
      ROOST_EDGE__MAX_CONCURRENT_REQUESTS: '5',
      ROOST_EDGE__EXPLAIN_HEADERS: 'True',
      ROOST_INTERNAL_REQUEST_AUTH_KEY: '123',
      ROOST_INTERNAL_REQUEST_AUTH_PREVIOUS_KEYS: 'a, b',
      ROOST_CONTEXT_SERVERS__URLS: 'x:1,y:2',
      ROOST_CONTEXT_SERVERS__NUM_INSTANCES: '2',
      ROOST_CONTEXT_SERVERS__ROUTER__TYPE: 'conversation',
      ROOST_CONTEXT_SERVERS__ROUTER__MAX_SESSIONS: '7',
      ROOST_CONTEXT_SERVERS__ROUTER__USE_TOKEN_IDS: 'true',
      ROOST_ENGINE__SIMULATED__SPEED_UP: '2.5',
      PORT: '5',
    });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      port: 9,
      hostname: '10',
      edge: { max_concurrent_requests: 5, explain_headers: true },
      context_servers: {
        urls: ['x:1', 'y:2'],
        router: { type: 'conversation', max_sessions: 7, use_token_ids: true },
        engine: { simulated: { speed_up: 2.5 } },
      },
      generation_servers: { engine: { simulated: { speed_up: 2.5 } } },
    });
    expect(config.internal_request_auth_keys.map((key) => key.reveal())).toEqual(['123', 'a', 'b']);
  });

  it('can hold a reference to a secret', () => {
    const { config } = parse({ ROOST_INTERNAL_REQUEST_AUTH_KEY: 'env:REAL', REAL: 'k' });
    expect(config.internal_request_auth_key?.reveal()).toBe('k');
  });

  it('can make the fleets of an empty file', () => {
    const { config } = parseClusterConfig('', { env: { ROOST_GENERATION_SERVERS__URLS: 'g:1' } });
    expect(config.generation_servers?.urls).toEqual(['g:1']);
  });

  it('count as unset when they are empty', () => {
    expect(parse({ ROOST_PORT: '' }).config.port).toBe(1);
  });

  it.each([
    ['ROOST_PORT', 'http', 'port', "port must be an integer from 0 to 65535, got 'http'"],
    ['ROOST_PORT', '0x10', 'port', "port must be an integer from 0 to 65535, got '0x10'"],
    ['ROOST_EDGE__EXPLAIN_HEADERS', 'yes', 'edge.explain_headers', "explain_headers must be true or false, got 'yes'"],
    ['ROOST_MAX_BATCH_SIZE', '0', 'max_batch_size', 'max_batch_size must be an integer of at least 1, got 0'],
  ])('%s=%s is refused by name', (variable, value, path, message) => {
    expect(refusalOf(() => parse({ [variable]: value })).problems).toEqual([
      { path, message: `${message} (set by ${variable})`, line: null },
    ]);
  });

  it.each([
    ['ROOST_PROT', 'ROOST_PORT'],
    ['ROOST_EDGE__MAX_CONCURENT_REQUESTS', 'ROOST_EDGE__MAX_CONCURRENT_REQUESTS'],
    ['ROOST_LOG_LEVEL', 'ROOST_LOGGING__LEVEL'],
    ['ROOST_EDGE__MAX_QUEUED_REQUESTS__X', 'ROOST_EDGE__MAX_QUEUED_REQUESTS'],
    ['ROOST_CONTEXT_SERVERS__ROUTER', null],
    ['ROOST_CONTEXT_SERVERS__ROUTER____PROTO__', null],
    ['ROOST_EDGE', null],
    ['ROOST_', null],
  ])('%s is warned of', (variable, nearest) => {
    const { config, warnings } = parse({ [variable]: '1' });
    expect(config.port).toBe(1);
    expect(warnings).toEqual([
      expect.stringMatching(
        new RegExp(`^the environment variable ${variable} is no setting and is ignored; did you mean ${nearest ?? ''}`),
      ),
    ]);
  });

  it('that others read, or that secrets refer to, are no settings', () => {
    const { warnings } = parseWorkerConfig('internal_request_auth_key: env:ROOST_MY_KEY', {
      env: { ROOST_MY_KEY: 'k', ROOST_VECTORS: '/v', ROOST_CONFIG: '/c', ROOST_TRACES: '/t' },
    });
    expect(warnings).toEqual([]);
  });

  it('do not reach below what is no mapping', () => {
    const { problems } = refusalOf(() =>
      parseClusterConfig(`${FILE}\nedge: 5`, { env: { ROOST_EDGE__MAX_QUEUED_REQUESTS: '1' } }),
    );
    expect(problems).toEqual([{ path: 'edge', message: 'edge must be a mapping, got 5', line: 4 }]);
  });
});
