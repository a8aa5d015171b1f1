import { describe, expect, it } from '@jest/globals';

import { parseClusterConfig } from '../parse-cluster-config.js';

// Owns: which router types are warned of before an edge starts.

const warningsOf = (type: string): readonly string[] =>
  parseClusterConfig(`generation_servers: {urls: ["gen:1"], router: {type: ${type}}}`).warnings;

describe('router types', () => {
  it.each([
    ['conversaton', 'conversation'],
    ['KV_cache_awar', 'kv_cache_aware'],
    ['roundrobin', 'round_robin'],
  ])('%s is taken for a misspelt %s', (type, meant) => {
    expect(warningsOf(type)).toEqual([
      `generation_servers.router.type: ${type.toLowerCase()} is no built-in router; did you mean ${meant}?`,
    ]);
  });

  it.each(['conversation', 'Load_Balancing', 'kv_cache_aware', 'rendezvous', 'mine'])('%s is not', (type) => {
    expect(warningsOf(type)).toEqual([]);
  });
});
