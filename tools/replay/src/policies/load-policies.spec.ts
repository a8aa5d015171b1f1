import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ALL_POLICIES, POLICIES } from '@roost/replay';

import { ReplayFailure } from '../replay-failure.js';

import { loadPolicies } from './load-policies.js';

/** Owns: what a policy file may say, and how it is told what is wrong. */

describe('loadPolicies', () => {
  let directory = '';
  let file = '';
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'policies-'));
    file = path.join(directory, 'policies.yaml');
  });
  afterEach(async () => await rm(directory, { recursive: true }));

  it('puts the policies of the file behind the baselines', async () => {
    await writeFile(
      path.join(directory, 'cluster.yaml'),
      `conversation_affinity_header_for_subagents: X-Parent
internal_request_auth_key: generate
context_servers: {num_instances: 1, urls: ['127.0.0.1:1'], router: {type: conversation, max_sessions: 9}, enable_attention_dp: true, attention_dp_config: {kv_cache_routing_conversation_affinity: true}}
generation_servers: {num_instances: 1, urls: ['127.0.0.1:2']}`,
    );
    await writeFile(
      file,
      `- {name: mine, config: cluster.yaml}
- {name: other, router: {type: load_balancing, use_tokens: true}, attention_dp_config: {enable_kv_cache_aware_routing: true}, subagent_key: root}
- {name: plain}
- {name: both, generation_router: {type: conversation}, generation_attention_dp_config: {kv_cache_routing_conversation_affinity: true}, subagent_affinity_scope: both, subagent_key: parent}
- {name: group, subagent_key: sibling_group, hold_ms: 2500}`,
    );
    const policies = loadPolicies(file);
    expect(policies.slice(0, POLICIES.length)).toEqual(POLICIES);
    expect(policies.slice(POLICIES.length)).toMatchObject([
      {
        name: 'mine',
        context: {
          router: { type: 'conversation', args: { max_sessions: 9 } },
          subagentKey: 'parent',
          attentionDp: { kv_cache_routing_conversation_affinity: true },
        },
        generation: { router: { type: 'round_robin', args: {} }, subagentKey: 'own' },
      },
      {
        name: 'other',
        context: {
          router: { type: 'load_balancing', args: { use_tokens: true } },
          subagentKey: 'root',
          attentionDp: { enable_kv_cache_aware_routing: true },
        },
        generation: { subagentKey: 'own' },
      },
      { name: 'plain', context: { subagentKey: 'own' } },
      {
        name: 'both',
        context: { router: { type: 'round_robin' }, subagentKey: 'parent' },
        generation: {
          router: { type: 'conversation' },
          subagentKey: 'parent',
          attentionDp: { kv_cache_routing_conversation_affinity: true },
        },
      },
      { name: 'group', context: { subagentKey: 'sibling_group' }, generation: { subagentKey: 'own' }, holdMs: 2500 },
    ]);
    expect(policies.at(-2)).not.toHaveProperty('holdMs');
  });

  it('says which file is missing, and which policies there are without one', () => {
    const names = ALL_POLICIES.map(({ name }) => name).join(', ');
    expect(() => loadPolicies(file)).toThrow(
      `${file}: there is no such file (ENOENT); policies that need none are ${names}`,
    );
    expect(() => loadPolicies(directory)).toThrow(`${directory}: EISDIR`);
  });

  it.each([
    ['{}', 'must be a list'],
    ['[1]', 'entry 1: must be a mapping'],
    ['[{nam: x}]', 'entry 1: there is no nam; there are name'],
    ['[{name: ""}]', 'entry 1: name must be'],
    ['[{name: round_robin}]', 'entry 1: there is a round_robin already'],
    [
      '[{name: a}, {name: b, subagent_key: x}]',
      'entry 2: subagent_key must be one of own, parent, root, sibling_group',
    ],
    ['[{name: a, hold_ms: 0}]', 'entry 1: hold_ms must be a number above 0'],
    ['[{name: a, hold_ms: 5 s}]', 'entry 1: hold_ms must be a number above 0'],
    ['[{name: a, attention_dp_config: {kv_cache: 1}}]', 'attention_dp_config'],
    ['[{name: a, config: none.yaml}]', 'none.yaml'],
    ['[{name: a, config: none.yaml, router: {type: round_robin}}]', 'stand in place of'],
    ['[', 'policies.yaml: '],
  ])('refuses %s', async (text, message) => {
    await writeFile(file, text);
    expect(() => loadPolicies(file)).toThrow(ReplayFailure);
    expect(() => loadPolicies(file)).toThrow(message);
  });
});
