import { networkInterfaces } from 'node:os';

import { buildSettings, idleSettings } from './build-settings.js';
import { CLUSTER_KEYS, clusterSectionKeys, EDGE_KEYS } from './cluster-keys.js';
import type { ConfigOptions, LoadedConfig } from './config-options.js';
import { deepFreeze } from './deep-freeze.js';
import { Findings } from './findings.js';
import { machineNodeId } from './machine-node-id.js';
import { own, type Mapping } from './mapping.js';
import { checkAffinity } from './merge/check-affinity.js';
import { checkAvailability } from './merge/check-availability.js';
import { checkConditional } from './merge/check-conditional.js';
import { checkRouters } from './merge/check-routers.js';
import { checkServers } from './merge/check-servers.js';
import { checkWorker } from './merge/check-worker.js';
import { mergeAuthKeys } from './merge/merge-auth-keys.js';
import { mergeSections } from './merge/merge-sections.js';
import { SECTION_NAMES } from './merge/section-names.js';
import { prepareContent } from './prepare-content.js';
import { ClusterConfig } from './schema/cluster-config.js';
import { onlySettings } from './source/check-keys.js';
import { objectSource, parseYaml, type ConfigSource } from './source/yaml-source.js';
import { warnOfIdleSettings } from './warn-of-idle-settings.js';

/**
 * Makes a cluster's configuration of YAML text, or of an object with the same keys.
 *
 * @throws ConfigError with everything that is wrong in it
 */
export function parseClusterConfig(given: string | Mapping, options: ConfigOptions = {}): LoadedConfig<ClusterConfig> {
  const name = 'cluster configuration';
  return buildClusterConfig(typeof given === 'string' ? parseYaml(given, name) : objectSource(given, name), options);
}

/** Makes a cluster's configuration of what a file holds. */
export function buildClusterConfig(
  { name, content, lineOf }: ConfigSource,
  options: ConfigOptions,
): LoadedConfig<ClusterConfig> {
  const findings = new Findings(name, lineOf);
  prepareContent(content, CLUSTER_KEYS, clusterSectionKeys, options, findings);
  mergeAuthKeys(content, findings);
  mergeSections(content, EDGE_KEYS, findings);
  fillIn(content, options, findings);
  const settings = onlySettings(content, EDGE_KEYS, clusterSectionKeys);
  const config = buildSettings(ClusterConfig, settings, findings);
  checkServers(config, findings);
  checkAvailability(config, findings);
  checkConditional(config, findings);
  checkRouters(config, findings);
  checkAffinity(config, findings);
  for (const section of SECTION_NAMES) if (config[section]) checkWorker(config[section], [section], findings);
  warnOfIdleSettings(idleSettings(config), findings);
  findings.throwIfAny();
  return { config: deepFreeze(config), warnings: findings.warnings };
}

/** Puts what a file leaves open, or says in a way that upstream reads as something else. */
function fillIn(content: Mapping, options: ConfigOptions, findings: Findings): void {
  content['node_id'] ??= options.nodeId ? options.nodeId() : machineNodeId(networkInterfaces(), Math.random);
  const header = own(content, 'conversation_affinity_header_for_subagents');
  if (typeof header === 'string')
    content['conversation_affinity_header_for_subagents'] = header.trim() === '' ? null : header.trim();
  const style = own(content, 'schedule_style');
  if (style === '') Reflect.deleteProperty(content, 'schedule_style');
  else if (typeof style === 'string' && !['context_first', 'generation_first'].includes(style)) {
    findings.warn('schedule_style is unknown and taken as context_first');
    content['schedule_style'] = 'context_first';
  }
}
