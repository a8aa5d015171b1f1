import { describe, expect, it } from '@jest/globals';

import { parseClusterConfig } from '../parse-cluster-config.js';
import { refusalOf } from '../testing/refusal-of.js';

import { parseServerUrl } from './check-servers.js';

// Instances and urls of reference 1.3, and which fleets an edge needs.

const problems = (text: string) =>
  refusalOf(() => parseClusterConfig(text)).problems.map(({ path, message }) => [path, message]);
const generation = (section: string) => problems(`generation_servers: {${section}}`);

describe('urls', () => {
  it.each([
    ['one', 'urls: ["g:1"]', 1],
    ['two', 'num_instances: 2, urls: ["g:1", "g:2"]', 2],
  ])('are there for every instance: %s', (_, section, count) => {
    const { config } = parseClusterConfig(`generation_servers: {${section}}`);
    expect(config.generation_servers?.urls).toHaveLength(count);
  });

  it.each([
    ['urls: ["g:1", "g:2"]', 2, 1, ': num_instances is 1 unless it is set'],
    ['num_instances: 3, urls: ["g:1", "g:2"]', 2, 3, ''],
  ])('%s do not match the number of instances', (section, urls, instances, hint) => {
    expect(generation(section)).toEqual([
      [
        'generation_servers.num_instances',
        `Number of hostnames (${String(urls)}) should be equal to the number of instances (${String(instances)})${hint}`,
      ],
    ]);
  });

  it('are not counted against a number that is none', () => {
    expect(generation('num_instances: two, urls: ["g:1", "g:2"]')).toEqual([
      ['generation_servers.num_instances', "num_instances must be an integer of at least 0, got 'two'"],
    ]);
  });

  it('are needed', () => {
    expect(generation('num_instances: 2')).toEqual([
      ['generation_servers.urls', 'urls is missing: every instance needs a host:port'],
    ]);
  });

  it.each(['http://g:1', '::1:80', '[::1]:80', 'g', 'g:', ':1', 'g:0', 'g:65536', 'g:1e3', 'g:-1', 'g :1', 'g:1/x'])(
    '%s is not host:port',
    (url) => {
      expect(parseServerUrl(url)).toBeNull();
      expect(generation(`urls: ["${url}"]`)).toEqual([
        ['generation_servers.urls.0', `expected host:port, got '${url}'`],
      ]);
    },
  );

  it('show no credentials when they are refused', () => {
    expect(generation('urls: ["http://me:pass@g:1"]')).toEqual([
      ['generation_servers.urls.0', "expected host:port, got 'http://<secret>@g:1'"],
    ]);
    expect(generation('urls: ["me:pass@g:1"]')).toEqual([
      ['generation_servers.urls.0', "expected host:port, got '<secret>@g:1'"],
    ]);
  });

  it('must not be given twice in one role', () => {
    expect(generation('num_instances: 2, urls: ["g:1", "g:01"]')).toEqual([
      ['generation_servers.urls.1', 'Duplicated gen server config for g:1'],
    ]);
    expect(
      problems('context_servers: {num_instances: 2, urls: ["c:1", "c:1"]}\ngeneration_servers: {urls: ["g:1"]}'),
    ).toEqual([['context_servers.urls.1', 'Duplicated ctx server config for c:1']]);
  });

  it('may be given in both roles with equal arguments only', () => {
    const text = (size: number) =>
      `context_servers: {urls: ["m:1"], max_batch_size: 8}\ngeneration_servers: {urls: ["m:1"], max_batch_size: ${String(size)}}`;
    expect(parseClusterConfig(text(8)).warnings).toEqual([]);
    expect(problems(text(9))).toEqual([
      ['generation_servers.urls.0', "'m:1' is a context server too, but the two sections give it different arguments"],
    ]);
  });
});

describe('fleets', () => {
  it('may be generation servers only', () => {
    for (const context of ['', 'context_servers: null', 'context_servers: {}', 'context_servers: {num_instances: 0}']) {
      const { config, warnings } = parseClusterConfig(`generation_servers: {urls: ["g:1"]}\n${context}`);
      expect(config.context_servers?.num_instances ?? 0).toBe(0);
      expect(warnings).toEqual([]);
    }
  });

  it('cannot be context servers only', () => {
    expect(problems('context_servers: {urls: ["c:1"]}\nmodel: m')).toEqual([
      ['generation_servers', 'generation_servers is missing: context servers alone cannot finish a request'],
    ]);
  });

  it.each(['', 'generation_servers: {}', 'generation_servers: {num_instances: 0}\ncontext_servers:'])(
    'cannot be none: %j',
    (text) => {
      const [problem, ...more] = problems(text);
      expect(more).toEqual([]);
      expect(problem?.[1]).toMatch(/^context_servers and generation_servers are missing/);
    },
  );

  it('count their ranks as the workers do', () => {
    const section = (args: string) =>
      parseClusterConfig(`generation_servers: {urls: ["g:1"], ${args}}`).config.generation_servers;
    const parallel = 'tensor_parallel_size: 4, pipeline_parallel_size: 2, context_parallel_size: 3';
    expect(section(parallel)).toMatchObject({ num_ranks: 1, instance_num_ranks: 24 });
    expect(section(`${parallel}, enable_attention_dp: true`)).toMatchObject({ num_ranks: 4, instance_num_ranks: 24 });
  });
});
