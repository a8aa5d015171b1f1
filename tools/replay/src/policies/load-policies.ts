import { readFileSync } from 'node:fs';
import path from 'node:path';

import { type ClusterConfig, ConfigError, loadClusterConfig, parseClusterConfig } from '@roost/config';
import { ALL_POLICIES, type FleetPolicy, POLICIES, type Policy, type SubagentKey } from '@roost/replay';
import { parse } from 'yaml';

import { ReplayFailure } from '../replay-failure.js';

const ROUTING = [
  'router',
  'attention_dp_config',
  'generation_router',
  'generation_attention_dp_config',
  'subagent_affinity_scope',
];
const KEYS = ['name', 'config', ...ROUTING, 'subagent_key', 'hold_ms'];
const SUBAGENT_KEYS: readonly SubagentKey[] = ['own', 'parent', 'root', 'sibling_group'];

type ServerSection = NonNullable<ClusterConfig['context_servers']>;

/** One entry of a policy file, not checked. */
type Entry = Readonly<Record<string, unknown>>;

/**
 * The baselines, and then the policies of a file: a YAML list of `{name, config}`, the file of a cluster, relative to this
 * one; or of what such a file says of routing, `router` and `attention_dp_config` for the context fleet, the same behind
 * `generation_` for the other one, and `subagent_affinity_scope`. Either may have a `subagent_key` and a `hold_ms`.
 *
 * @throws ReplayFailure that names the entry at fault
 */
export function loadPolicies(file: string): readonly Policy[] {
  const policies = [...POLICIES];
  readList(file).forEach((entry, index) => {
    const policy = policyOf(entry, file, `${file}, entry ${String(index + 1)}`);
    if (policies.some(({ name }) => name === policy.name))
      throw new ReplayFailure(`${file}, entry ${String(index + 1)}: there is a ${policy.name} already`);
    policies.push(policy);
  });
  return policies;
}

function readList(file: string): readonly unknown[] {
  let content: unknown;
  try {
    content = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ReplayFailure(`${file}: ${reasonOf(error)}`, { cause: error });
  }
  if (!Array.isArray(content)) throw new ReplayFailure(`${file}: must be a list of policies`);
  return content;
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT') return message;
  const names = ALL_POLICIES.map(({ name }) => name).join(', ');
  return `there is no such file (ENOENT); policies that need none are ${names}`;
}

function policyOf(value: unknown, file: string, where: string): Policy {
  if (typeof value !== 'object' || value === null) throw new ReplayFailure(`${where}: must be a mapping`);
  const entry = value as Entry;
  const unknown = Object.keys(entry).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw new ReplayFailure(`${where}: there is no ${unknown}; there are ${KEYS.join(', ')}`);
  const { name, config } = entry;
  if (typeof name !== 'string' || name === '') throw new ReplayFailure(`${where}: name must be a text`);
  const cluster = clusterOf(entry, file, where);
  const section = (fleet: 'context_servers' | 'generation_servers'): ServerSection => {
    const found = cluster[fleet];
    if (found === null) throw new ReplayFailure(`${where}: ${String(config)} has no ${fleet}`);
    return found;
  };
  const key = subagentKeyOf(entry, cluster, where);
  return {
    name,
    context: fleetPolicyOf(section('context_servers'), key),
    generation: fleetPolicyOf(section('generation_servers'), cluster.subagent_affinity_scope === 'both' ? key : 'own'),
    ...holdOf(entry, where),
  };
}

function fleetPolicyOf(
  { router, attention_dp_config: attentionDp }: ServerSection,
  subagentKey: SubagentKey,
): FleetPolicy {
  const { type, ...args } = router;
  return { router: { type, args }, subagentKey, attentionDp };
}

function holdOf({ hold_ms: holdMs }: Entry, where: string): Pick<Policy, 'holdMs'> {
  if (holdMs === undefined) return {};
  if (typeof holdMs !== 'number' || !(holdMs > 0 && holdMs < Infinity))
    throw new ReplayFailure(`${where}: hold_ms must be a number above 0`);
  return { holdMs };
}

function clusterOf({ config, ...entry }: Entry, file: string, where: string): ClusterConfig {
  try {
    if (config === undefined) return parseClusterConfig(clusterText(entry)).config;
    if (typeof config !== 'string' || ROUTING.some((key) => entry[key] !== undefined))
      throw new ReplayFailure(`${where}: config must be a file, and stand in place of ${ROUTING.join(', ')}`);
    // A key drawn for the replay signs nothing.
    return loadClusterConfig(path.resolve(path.dirname(file), config), {}, { generateKey: () => 'unused'.repeat(8) })
      .config;
  } catch (error) {
    if (error instanceof ConfigError) throw new ReplayFailure(`${where}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** A cluster that differs from any other in this alone: what is right and wrong is for its configuration to say. */
function clusterText(entry: Entry): string {
  const section = (url: string, router: unknown, attentionDp: unknown): object => ({
    num_instances: 1,
    urls: [url],
    ...(router === undefined ? {} : { router }),
    ...(attentionDp === undefined ? {} : { enable_attention_dp: true, attention_dp_config: attentionDp }),
  });
  const { subagent_affinity_scope: scope } = entry;
  return JSON.stringify({
    context_servers: section('127.0.0.1:1', entry['router'], entry['attention_dp_config']),
    generation_servers: section('127.0.0.1:2', entry['generation_router'], entry['generation_attention_dp_config']),
    ...(scope === undefined ? {} : { subagent_affinity_scope: scope }),
  });
}

function subagentKeyOf({ subagent_key: key }: Entry, cluster: ClusterConfig, where: string): SubagentKey {
  if (key === undefined) return cluster.conversation_affinity_header_for_subagents ? 'parent' : 'own';
  const known = SUBAGENT_KEYS.find((each) => each === key);
  if (known === undefined) throw new ReplayFailure(`${where}: subagent_key must be one of ${SUBAGENT_KEYS.join(', ')}`);
  return known;
}
