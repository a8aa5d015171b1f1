import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { generateAuthKey } from './generate-auth-key.js';
import { loadClusterConfig, loadWorkerConfig } from './load-config.js';
import { refusalOf } from './testing/refusal-of.js';
import { workerConfigsOf } from './worker-configs-of.js';

// Files: those that cannot be read, secrets beside them, and the sample cluster.

let folder = '';
const write = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'roost-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('loading', () => {
  it('says when a file cannot be read', () => {
    const absent = path.join(folder, 'absent.yaml');
    expect(refusalOf(() => loadWorkerConfig(absent, {})).message).toBe(
      `${absent}: 1 problem in the configuration\n  the file cannot be read: it does not exist`,
    );
    expect(refusalOf(() => loadClusterConfig(folder, {})).message).toContain('it is a directory');
  });

  it('names the file and the line of a fault', () => {
    const file = write('bad.yaml', 'model: m\nport: x\n');
    expect(refusalOf(() => loadWorkerConfig(file, {})).message).toBe(
      `${file}: 1 problem in the configuration\n  port (line 2): port must be an integer from 0 to 65535, got 'x'`,
    );
  });

  it('reads secrets from variables, and from files beside the configuration', () => {
    write('key.txt', 'from-file\n');
    const file = write(
      'worker.yaml',
      'internal_request_auth_key: file:key.txt\ninternal_request_auth_previous_keys: ["env:OLD", plain]\n',
    );
    const { config } = loadWorkerConfig(file, { OLD: 'from-env' });
    expect(config.internal_request_auth_keys.map((key) => key.reveal())).toEqual(['from-file', 'from-env', 'plain']);
  });

  it.each([
    ['env:ABSENT', 'the environment variable ABSENT is not set'],
    ['env:EMPTY', 'the environment variable EMPTY is not set'],
    ['file:absent.txt', 'the file absent.txt cannot be read: it does not exist'],
    ['file:empty.txt', 'file:empty.txt is empty'],
  ])('refuses the secret %s', (secret, message) => {
    write('empty.txt', '\n');
    const file = write(
      'secret.yaml',
      `internal_request_auth_key: ${secret}\ninternal_request_auth_previous_keys: ["${secret}"]`,
    );
    expect(refusalOf(() => loadWorkerConfig(file, { EMPTY: '' })).problems).toEqual([
      { path: 'internal_request_auth_key', message, line: 1 },
      { path: 'internal_request_auth_previous_keys.0', message, line: 2 },
    ]);
  });
});

describe('tools/cluster/local.yaml', () => {
  const file = path.resolve(import.meta.dirname, '../../../tools/cluster/local.yaml');

  it('starts without a warning in a combined launch', () => {
    const { config, warnings } = loadClusterConfig(file, {}, { generateKey: generateAuthKey });
    expect(warnings).toEqual([]);
    expect(config.edge.explain_headers).toBe(true);
    expect(workerConfigsOf(config).map(({ role, url, config: worker }) => [role, url, worker.num_ranks])).toEqual([
      ['CONTEXT', '127.0.0.1:8101', 4],
      ['CONTEXT', '127.0.0.1:8102', 4],
      ['GENERATION', '127.0.0.1:8201', 2],
      ['GENERATION', '127.0.0.1:8202', 2],
    ]);
    expect(config.internal_request_auth_key?.reveal()).toHaveLength(43);
  });

  it('needs a key when its processes are started one by one', () => {
    const [problem] = refusalOf(() => loadClusterConfig(file, {})).problems;
    expect(problem?.path).toBe('internal_request_auth_key');
    expect(
      loadClusterConfig(file, { ROOST_INTERNAL_REQUEST_AUTH_KEY: 'k' }).config.internal_request_auth_keys,
    ).toHaveLength(1);
  });
});
