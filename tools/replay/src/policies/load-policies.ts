import { readFileSync } from 'node:fs';
import path from 'node:path';

import { type ClusterConfig, ConfigError, loadClusterConfig, parseClusterConfig } from '@roost/config';
import { POLICIES, type Policy, type SubagentKey } from '@roost/replay';
import { parse } from 'yaml';

import { ReplayFailure } from '../replay-failure.js';

const KEYS = ['name', 'config', 'router', 'attention_dp_config', 'subagent_key'];
const SUBAGENT_KEYS: readonly SubagentKey[] = ['own', 'parent', 'root'];

/** One entry of a policy file, not checked. */
type Entry = Readonly<Record<string, unknown>>;

/**
 * The baselines, and then the policies of a file: a YAML list of `{name, config}`, the file of a cluster, relative to this
 * one, whose context fleet is taken; or of `{name, router, attention_dp_config, subagent_key}`, as in such a file.
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
    throw new ReplayFailure(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (!Array.isArray(content)) throw new ReplayFailure(`${file}: must be a list of policies`);
  return content;
}

function policyOf(value: unknown, file: string, where: string): Policy {
  if (typeof value !== 'object' || value === null) throw new ReplayFailure(`${where}: must be a mapping`);
  const entry = value as Entry;
  const unknown = Object.keys(entry).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw new ReplayFailure(`${where}: there is no ${unknown}; there are ${KEYS.join(', ')}`);
  const { name, config } = entry;
  if (typeof name !== 'string' || name === '') throw new ReplayFailure(`${where}: name must be a text`);
  const cluster = clusterOf(entry, file, where);
  const section = cluster.context_servers;
  if (section === null) throw new ReplayFailure(`${where}: ${String(config)} has no context_servers`);
  const { type, ...args } = section.router;
  return {
    name,
    router: { type, args },
    subagentKey: subagentKeyOf(entry, cluster, where),
    attentionDp: section.attention_dp_config,
  };
}

function clusterOf({ config, router, attention_dp_config }: Entry, file: string, where: string): ClusterConfig {
  try {
    if (config === undefined) return parseClusterConfig(clusterText(router, attention_dp_config)).config;
    if (typeof config !== 'string' || router !== undefined || attention_dp_config !== undefined)
      throw new ReplayFailure(`${where}: config must be a file, and stand in place of router and attention_dp_config`);
    // A key drawn for the replay signs nothing.
    return loadClusterConfig(path.resolve(path.dirname(file), config), {}, { generateKey: () => 'unused'.repeat(8) })
      .config;
  } catch (error) {
    if (error instanceof ConfigError) throw new ReplayFailure(`${where}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** A cluster that differs from any other in this alone: what is right and wrong is for its configuration to say. */
function clusterText(router: unknown, attention_dp_config: unknown): string {
  return JSON.stringify({
    context_servers: {
      num_instances: 1,
      urls: ['127.0.0.1:1'],
      ...(router === undefined ? {} : { router }),
      ...(attention_dp_config === undefined ? {} : { enable_attention_dp: true, attention_dp_config }),
    },
    generation_servers: { num_instances: 1, urls: ['127.0.0.1:2'] },
  });
}

function subagentKeyOf({ subagent_key: key }: Entry, cluster: ClusterConfig, where: string): SubagentKey {
  if (key === undefined) return cluster.conversation_affinity_header_for_subagents ? 'parent' : 'own';
  const known = SUBAGENT_KEYS.find((each) => each === key);
  if (known === undefined) throw new ReplayFailure(`${where}: subagent_key must be one of ${SUBAGENT_KEYS.join(', ')}`);
  return known;
}
