import { SESSION_HEADERS } from '@roost/protocol';

import type { Findings } from '../findings.js';
import type { ClusterConfig } from '../schema/cluster-config.js';
import { BUILT_IN_ROUTERS } from '../schema/server-section.js';

import { SECTION_NAMES, type SectionName } from './section-names.js';

const HEADER = 'conversation_affinity_header_for_subagents';

/** Upstream's start-up checks for sub-agent affinity (reference 1.5), and warnings where it would be silently without effect. */
export function checkAffinity(config: ClusterConfig, findings: Findings): void {
  const header = config.conversation_affinity_header_for_subagents;
  if (header === null) return;
  checkHeader(header, findings);
  if (config.internal_request_auth_key === null && !findings.hasProblemAt('internal_request_auth_key'))
    findings.problem(
      [HEADER],
      `${HEADER} requires internal_request_auth_key (ROOST_INTERNAL_REQUEST_AUTH_KEY in the environment)`,
    );
  if (config.subagent_affinity_scope === 'both') warnOfConditional(config, findings);
  for (const name of fleetsInScope(config)) {
    warnOfRouter(config, name, findings);
    warnOfRanks(config, name, findings);
  }
  if (!config.context_servers && config.subagent_affinity_scope === 'context')
    findings.warn(
      "sub-agent affinity has no effect: there are no context servers, and subagent_affinity_scope is 'context'; use 'both'",
    );
}

function checkHeader(header: string, findings: Findings): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header))
    findings.problem([HEADER], `${HEADER} is not the name of a header`);
  else if (SESSION_HEADERS.some((name) => name === header.toLowerCase()))
    findings.warn(
      `${HEADER} is ${header}, which names a conversation itself: every request would count as a sub-agent's`,
    );
}

function warnOfConditional(config: ClusterConfig, findings: Findings): void {
  if (config.conditional_disagg_config)
    findings.warn(
      "sub-agent affinity does not take effect on generation_servers with conditional_disagg_config; set subagent_affinity_scope to 'context'",
    );
}

function fleetsInScope(config: ClusterConfig): readonly SectionName[] {
  return SECTION_NAMES.filter(
    (name) => config[name] !== null && (name === 'context_servers' || config.subagent_affinity_scope === 'both'),
  );
}

function warnOfRouter(config: ClusterConfig, name: SectionName, findings: Findings): void {
  const type = config[name]?.router.type ?? '';
  // What a router type of the edge's own program makes of a parent session is not known here.
  if (type.toLowerCase() === 'conversation' || !BUILT_IN_ROUTERS.includes(type.toLowerCase())) return;
  findings.warn(`sub-agent affinity among instances is inactive on ${name}: its router is ${type}, not conversation`);
}

function warnOfRanks(config: ClusterConfig, name: SectionName, findings: Findings): void {
  const section = config[name];
  if (!section || section.num_ranks === 1) return;
  if (!section.attention_dp_config.kv_cache_routing_conversation_affinity)
    findings.warn(
      `sub-agent affinity among ranks is inactive on ${name}: attention_dp_config.kv_cache_routing_conversation_affinity is not set`,
    );
}
