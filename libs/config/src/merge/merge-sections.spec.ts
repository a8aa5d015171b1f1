import { describe, expect, it } from '@jest/globals';

import { parseClusterConfig } from '../parse-cluster-config.js';
import { refusalOf } from '../testing/refusal-of.js';

// Inheritance and router arguments of reference 1.3.

const FLEETS = 'context_servers: {urls: ["c:1"]}\ngeneration_servers: {urls: ["g:1"]}';
const parse = (text: string) => parseClusterConfig(text).config;

describe('inheritance', () => {
  it('gives both sections every key that is not the edge‘s own', () => {
    const config = parse(`${FLEETS}\nmodel: m\nmax_batch_size: 8\nkv_cache_config: {tokens_per_block: 64}\nport: 9`);
    for (const section of [config.context_servers, config.generation_servers])
      expect(section).toMatchObject({ model: 'm', max_batch_size: 8, kv_cache_config: { tokens_per_block: 64 } });
    expect(config.context_servers).not.toHaveProperty('port');
  });

  it('accepts the same value in both places', () => {
    const config = parse(
      'kv_cache_config: {tokens_per_block: 64}\ngeneration_servers: {urls: ["g:1"], kv_cache_config: {tokens_per_block: 64}}',
    );
    expect(config.generation_servers?.kv_cache_config.tokens_per_block).toBe(64);
  });

  it.each([
    ['max_batch_size', '8', '9'],
    ['model', 'a', 'b'],
    ['kv_cache_config', '{tokens_per_block: 32}', '{tokens_per_block: 64}'],
    ['backend', 'pytorch', 'tensorrt'],
  ])('refuses different values of %s', (key, top, inner) => {
    const { problems } = refusalOf(() =>
      parse(
        `${key}: ${top}\ncontext_servers: {urls: ["c:1"]}\ngeneration_servers:\n  urls: ["g:1"]\n  ${key}: ${inner}`,
      ),
    );
    expect(problems).toEqual([
      {
        path: `generation_servers.${key}`,
        message: `Parameter ${key} is specified both in the top-level and in the generation_servers section, but with different values`,
        line: 5,
      },
    ]);
  });

  it('reports a wrong inherited value once, where it was written', () => {
    const { problems } = refusalOf(() => parse(`${FLEETS}\nkv_cache_config:\n  tokens_per_block: 0`));
    expect(problems).toEqual([
      {
        path: 'kv_cache_config.tokens_per_block',
        message: 'tokens_per_block must be an integer of at least 1, got 0',
        line: 4,
      },
    ]);
  });

  it('lets sections log in their own way', () => {
    const config = parse(
      'logging: {level: warn}\ncontext_servers: {urls: ["c:1"], logging: {level: debug}}\ngeneration_servers: {urls: ["g:1"]}',
    );
    expect([
      config.logging.level,
      config.context_servers?.logging.level,
      config.generation_servers?.logging.level,
    ]).toEqual(['warn', 'debug', 'warn']);
  });

  it('keeps sections apart that YAML makes one by an anchor', () => {
    const { config } = parseClusterConfig(
      'generation_servers: &fleet {urls: ["g:1"], max_batch_size: 3}\ncontext_servers: *fleet',
      { env: { ROOST_CONTEXT_SERVERS__URLS: 'c:1', ROOST_CONTEXT_SERVERS__MAX_BATCH_SIZE: '4' } },
    );
    expect(config.generation_servers).toMatchObject({ urls: ['g:1'], max_batch_size: 3 });
    expect(config.context_servers).toMatchObject({ urls: ['c:1'], max_batch_size: 4 });
  });
});

describe('return_perf_metrics', () => {
  it.each(['return_perf_metrics: true', 'perf_metrics_output_dir: /tmp/perf'])('%s holds for the workers', (text) => {
    const config = parse(
      `${text}\ncontext_servers: {urls: ["c:1"], return_perf_metrics: false}\ngeneration_servers: {urls: ["g:1"]}`,
    );
    expect(config.context_servers?.return_perf_metrics).toBe(true);
    expect(config.generation_servers?.return_perf_metrics).toBe(true);
  });
});

describe('router', () => {
  const routerOf = (section: string) =>
    parse(`generation_servers: {urls: ["g:1"]${section && `, ${section}`}}`).generation_servers?.router;

  it.each([
    ['', { type: 'round_robin' }],
    ['router: {}', { type: 'round_robin' }],
    ['router: {type: conversation, match_threshold: 0.5}', { type: 'conversation', match_threshold: 0.5 }],
    ['router: {type: of_a_third_party, any: [1]}', { type: 'of_a_third_party', any: [1] }],
    ['max_batch_size: 8, max_num_tokens: 99', { type: 'round_robin', max_batch_size: 8, max_num_tokens: 99 }],
    ['kv_cache_config: {tokens_per_block: 64}', { type: 'round_robin', tokens_per_block: 64 }],
    ['kv_cache_config: {max_tokens: 64}', { type: 'round_robin' }],
    [
      'router: {tokens_per_block: 16}, kv_cache_config: {tokens_per_block: 64}',
      { type: 'round_robin', tokens_per_block: 16 },
    ],
  ])('of a section with %s', (section, router) => {
    expect(routerOf(section)).toEqual(router);
  });

  it.each([
    ['router: conversation', 'generation_servers.router', "router must be a mapping, got 'conversation'"],
    ['router: {type: 5}', 'generation_servers.router.type', 'type must be a non-empty string, got 5'],
  ])('%s is refused', (section, path, message) => {
    expect(refusalOf(() => routerOf(section)).problems).toEqual([{ path, message, line: 1 }]);
  });
});
