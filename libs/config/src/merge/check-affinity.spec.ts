import { describe, expect, it } from '@jest/globals';

import { parseClusterConfig } from '../parse-cluster-config.js';
import { refusalOf } from '../testing/refusal-of.js';

// The start-up checks of reference 1.5, and the warnings that Roost adds where affinity would silently do nothing.

const HEADER = 'conversation_affinity_header_for_subagents: X-Parent\n';
const KEY = 'internal_request_auth_key: k\n';
const fleets = (context: string, generation: string) =>
  `context_servers: {urls: ["c:1"], ${context}}\ngeneration_servers: {urls: ["g:1"], ${generation}}\n`;
const CONVERSATION = 'router: {type: Conversation}';
const ROUND_ROBIN = 'router: {type: round_robin}';
const STICKY = fleets(CONVERSATION, CONVERSATION);
const warningsOf = (text: string) => parseClusterConfig(text).warnings;

describe('sub-agent affinity', () => {
  it('starts silently when everything is in place', () => {
    expect(warningsOf(HEADER + KEY + STICKY)).toEqual([]);
    expect(warningsOf(`${HEADER}${KEY}${STICKY}subagent_affinity_scope: both`)).toEqual([]);
  });

  it('is off without a header, and then needs nothing', () => {
    for (const header of ['', '""', '"  "', 'null']) {
      const { config, warnings } = parseClusterConfig(
        `conversation_affinity_header_for_subagents: ${header}\n${fleets(ROUND_ROBIN, ROUND_ROBIN)}`,
      );
      expect(config.conversation_affinity_header_for_subagents).toBeNull();
      expect(warnings).toEqual([]);
    }
  });

  it('1. requires a key', () => {
    expect(refusalOf(() => parseClusterConfig(HEADER + STICKY)).problems).toEqual([
      {
        path: 'conversation_affinity_header_for_subagents',
        message:
          'conversation_affinity_header_for_subagents requires internal_request_auth_key (ROOST_INTERNAL_REQUEST_AUTH_KEY in the environment)',
        line: 1,
      },
    ]);
  });

  it('1. does not ask for a key that was given but could not be read', () => {
    const { problems } = refusalOf(() =>
      parseClusterConfig(`${HEADER}internal_request_auth_key: env:ABSENT\n${STICKY}`),
    );
    expect(problems.map(({ message }) => message)).toEqual(['the environment variable ABSENT is not set']);
  });

  it('1. takes the key from a section', () => {
    expect(warningsOf(HEADER + fleets(`internal_request_auth_key: k, ${CONVERSATION}`, CONVERSATION))).toEqual([]);
  });

  it('2. refuses an unknown scope, header or not', () => {
    const { problems } = refusalOf(() => parseClusterConfig(`subagent_affinity_scope: Both\n${STICKY}`));
    expect(problems.map(({ message }) => message)).toEqual([
      "subagent_affinity_scope must be 'context' or 'both', got 'Both'",
    ]);
  });

  it('3. warns of scope both with conditional disaggregation', () => {
    const text = `${HEADER}${KEY}${STICKY}conditional_disagg_config: {max_local_prefill_length: 5}\n`;
    const { warnings, problems } = refusalOf(() => parseClusterConfig(`${text}subagent_affinity_scope: both`));
    expect(problems.map(({ path }) => path)).toEqual(['conditional_disagg_config']);
    expect(warnings).toEqual([
      "sub-agent affinity does not take effect on generation_servers with conditional_disagg_config; set subagent_affinity_scope to 'context'",
    ]);
    expect(refusalOf(() => parseClusterConfig(text)).warnings).toEqual([]);
  });

  const inactive = (name: string) =>
    `sub-agent affinity among instances is inactive on ${name}: its router is round_robin, not conversation`;
  it.each([
    ['context', ROUND_ROBIN, CONVERSATION, [inactive('context_servers')]],
    ['context', CONVERSATION, ROUND_ROBIN, []],
    ['both', CONVERSATION, ROUND_ROBIN, [inactive('generation_servers')]],
    ['both', ROUND_ROBIN, ROUND_ROBIN, [inactive('context_servers'), inactive('generation_servers')]],
  ])('4. warns of routers that keep no conversations: scope %s, %s, %s', (scope, context, generation, expected) => {
    const text = `${HEADER}${KEY}${fleets(context, generation)}subagent_affinity_scope: ${scope}`;
    expect(warningsOf(text)).toEqual(expected);
  });

  it("says nothing of a router of somebody else's, which may follow parents", () => {
    const own = ROUND_ROBIN.replace('round_robin', 'rendezvous');
    expect(own).not.toBe(ROUND_ROBIN);
    expect(warningsOf(HEADER + KEY + fleets(own, CONVERSATION))).toEqual([]);
  });

  it('warns of ranks that keep no conversations', () => {
    const ranks = 'tensor_parallel_size: 2, enable_attention_dp: true';
    expect(warningsOf(HEADER + KEY + fleets(`${CONVERSATION}, ${ranks}`, CONVERSATION))).toEqual([
      'sub-agent affinity among ranks is inactive on context_servers: attention_dp_config.kv_cache_routing_conversation_affinity is not set',
    ]);
    const sticky = `${ranks}, attention_dp_config: {kv_cache_routing_conversation_affinity: true}`;
    expect(warningsOf(HEADER + KEY + fleets(`${CONVERSATION}, ${sticky}`, CONVERSATION))).toEqual([]);
  });

  it('warns of scope context without a context fleet', () => {
    const text = `${HEADER}${KEY}generation_servers: {urls: ["g:1"], ${CONVERSATION}}\n`;
    expect(warningsOf(text)).toEqual([expect.stringMatching(/there are no context servers/)]);
    expect(warningsOf(`${text}subagent_affinity_scope: both`)).toEqual([]);
  });

  it('warns of a header that names conversations', () => {
    const text = `conversation_affinity_header_for_subagents: X-Session-ID\n${KEY}${STICKY}`;
    expect(warningsOf(text)).toEqual([expect.stringMatching(/X-Session-ID, which names a conversation itself/)]);
  });

  it('refuses what cannot be a header, and takes one without the space around it', () => {
    const named = (header: string) => `conversation_affinity_header_for_subagents: "${header}"\n${KEY}${STICKY}`;
    for (const header of ['X Parent', 'X-Parent:', 'é'])
      expect(refusalOf(() => parseClusterConfig(named(header))).problems).toHaveLength(1);
    expect(parseClusterConfig(named(' X-Parent ')).config.conversation_affinity_header_for_subagents).toBe('X-Parent');
  });
});
