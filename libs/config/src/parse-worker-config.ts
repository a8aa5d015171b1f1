import { buildSettings, idleSettings } from './build-settings.js';
import type { ConfigOptions, LoadedConfig } from './config-options.js';
import { deepFreeze } from './deep-freeze.js';
import { Findings } from './findings.js';
import { own, type Mapping } from './mapping.js';
import { checkWorker } from './merge/check-worker.js';
import { prepareContent } from './prepare-content.js';
import { WorkerConfig } from './schema/worker-config.js';
import { keySpaceOf, ownSectionKeys } from './settings/key-space.js';
import { onlySettings } from './source/check-keys.js';
import { objectSource, parseYaml, type ConfigSource } from './source/yaml-source.js';
import { warnOfIdleSettings } from './warn-of-idle-settings.js';

const WORKER_KEYS = keySpaceOf(WorkerConfig);

/**
 * Makes a worker's configuration of YAML text, or of an object with the same keys.
 *
 * @throws ConfigError with everything that is wrong in it
 */
export function parseWorkerConfig(given: string | Mapping, options: ConfigOptions = {}): LoadedConfig<WorkerConfig> {
  const name = 'worker configuration';
  return buildWorkerConfig(typeof given === 'string' ? parseYaml(given, name) : objectSource(given, name), options);
}

/** Makes a worker's configuration of what a file holds. */
export function buildWorkerConfig(
  { name, content, lineOf }: ConfigSource,
  options: ConfigOptions,
): LoadedConfig<WorkerConfig> {
  const findings = new Findings(name, lineOf);
  prepareContent(content, WORKER_KEYS, ownSectionKeys, options, findings);
  agreeOnRole(content, findings);
  const settings = onlySettings(content, WORKER_KEYS, ownSectionKeys);
  const built = buildSettings(WorkerConfig, settings, findings);
  const config = Object.assign(built, { server_role: built.role });
  checkWorker(config, [], findings);
  warnOfIdleSettings(idleSettings(config), findings);
  findings.throwIfAny();
  return { config: deepFreeze(config), warnings: findings.warnings };
}

/** Takes a role in any case and under either name. */
function agreeOnRole(content: Mapping, findings: Findings): void {
  for (const name of ['role', 'server_role'] as const) {
    const value = own(content, name);
    if (typeof value === 'string') content[name] = value.toUpperCase();
  }
  const serverRole = own(content, 'server_role');
  if (serverRole === undefined) return;
  if (own(content, 'role') === undefined) {
    content['role'] = serverRole;
    findings.inheritedFrom(['server_role'], ['role']);
  } else if (content['role'] !== serverRole) findings.problem(['server_role'], 'server_role must match role');
  Reflect.deleteProperty(content, 'server_role');
}
