import { inspect } from 'node:util';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';

import type { LoadedConfig } from './config-options.js';
import { describeConfig } from './describe-config.js';
import type { Mapping } from './mapping.js';
import { parseClusterConfig } from './parse-cluster-config.js';
import { parseWorkerConfig } from './parse-worker-config.js';
import type { ClusterConfig } from './schema/cluster-config.js';
import type { WorkerConfig } from './schema/worker-config.js';
import { Secret } from './secret.js';

// That the configuration in effect can be shown, and that a secret shows nowhere.

const SECRET = 'Hunter2Hunter2';

describe('describeConfig', () => {
  it('shows every setting with its value in effect', () => {
    const { config } = parseWorkerConfig('max_batch_size: 3\nengine: {options: {depth: 2}}');
    expect(parse(describeConfig(config))).toMatchObject({
      max_batch_size: 3,
      max_num_tokens: 8192,
      engine: { type: 'simulated', options: { depth: 2 } },
      internal_request_auth_key: null,
    });
  });

  it('gives a file that means the same', () => {
    const text = 'generation_servers: {urls: ["g:1"], router: {type: conversation}}\nedge: {max_queued_requests: 3}';
    const shown = describeConfig(parseClusterConfig(text).config);
    // Written out, the defaults become arguments of the router.
    const again = describeConfig(parseClusterConfig(shown).config);
    expect(describeConfig(parseClusterConfig(again).config)).toBe(again);
    expect(parse(again)).toMatchObject(parse(shown) as Mapping);
  });

  it('masks secrets, and credentials in urls', () => {
    const { config } = parseClusterConfig(
      `internal_request_auth_key: ${SECRET}\ninternal_request_auth_previous_keys: [${SECRET}]\notlp_config: {otlp_traces_endpoint: "http://me:${SECRET}@otel:1/x"}\ngeneration_servers: {urls: ["g:1"], router: {store: "redis://:${SECRET}@r:6379", password: ${SECRET}, tokens_per_block: 5}}`,
    );
    const shown = describeConfig(config);
    expect(shown).not.toContain(SECRET);
    expect(parse(shown)).toMatchObject({
      internal_request_auth_key: '<secret>',
      internal_request_auth_previous_keys: ['<secret>'],
      otlp_config: { otlp_traces_endpoint: 'http://<secret>@otel:1/x' },
      generation_servers: { router: { store: 'redis://<secret>@r:6379', password: '<secret>', tokens_per_block: 5 } },
    });
  });
});

describe('a secret', () => {
  it('shows itself only to who asks', () => {
    const { config } = parseWorkerConfig(`internal_request_auth_key: ${SECRET}`);
    const key = config.internal_request_auth_key ?? new Secret('other');
    expect(key.reveal()).toBe(SECRET);
    for (const shown of [
      String(key),
      JSON.stringify({ key }),
      inspect(config, { depth: 9, showHidden: true }),
      JSON.stringify(config),
    ])
      expect(shown).not.toContain(SECRET);
  });

  it('must not be empty', () => {
    expect(() => new Secret('')).toThrow(TypeError);
  });

  it('is in no error, warning or description, whatever else is wrong', () => {
    const places: readonly ((secret: unknown) => Mapping)[] = [
      (secret) => ({ internal_request_auth_key: secret }),
      (secret) => ({ internal_request_auth_keys: secret }),
      (secret) => ({ internal_request_auth_previous_keys: secret }),
      (secret) => ({ context_servers: { urls: ['a:1', 'b:1'], internal_request_auth_key: secret } }),
      (secret) => ({
        generation_servers: { internal_request_auth_key: secret, internal_request_auth_previous_keys: secret },
      }),
    ];
    const noise = fc.constantFrom<Mapping>(
      {},
      { internal_request_auth_key: 'other-key-of-mine' },
      { port: -1 },
      { conversation_affinity_header_for_subagents: 'x-parent', subagent_affinity_scope: 'all' },
      { generation_servers: { urls: ['g:1'], internal_request_auth_key: 'third-key-of-mine' } },
    );
    const shape = fc.constantFrom<(text: string) => unknown>(
      (text) => text,
      (text) => [text, 5],
      (text) => [text],
      (text) => ({ [`k${String(text.length)}`]: text }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...places), shape, noise, fc.boolean(), (place, wrap, other, asVariable) => {
        const given = { ...other, ...place(wrap(SECRET)) };
        const env = asVariable ? { ROOST_INTERNAL_REQUEST_AUTH_KEY: SECRET, ROOST_PORT: '-5' } : {};
        const readers = [parseClusterConfig, parseWorkerConfig];
        expect(readers.map((read) => shownBy(() => read(given, { env }))).join()).not.toContain(SECRET);
      }),
    );
  });
});

/** Everything that reading a configuration lets be seen. */
function shownBy(read: () => LoadedConfig<ClusterConfig | WorkerConfig>): string {
  try {
    const { config, warnings } = read();
    return [describeConfig(config), inspect(config, { depth: 9 }), ...warnings].join();
  } catch (error) {
    return `${String(error)} ${JSON.stringify(error)} ${inspect(error, { depth: 9 })}`;
  }
}
