import { stringify } from 'yaml';

import { isMapping, type Mapping } from './mapping.js';
import type { ClusterConfig } from './schema/cluster-config.js';
import type { WorkerConfig } from './schema/worker-config.js';
import { Secret, SECRET_MASK } from './secret.js';
import { settingsOf, type Setting, type SettingsClass } from './settings/setting.js';
import { withoutCredentials } from './show-value.js';

/** The configuration in effect as YAML, defaults included; secrets and the credentials in URLs are masked. */
export function describeConfig(config: ClusterConfig | WorkerConfig): string {
  return stringify(describeSettings(config), { lineWidth: 0 });
}

function describeSettings(settings: object): Mapping {
  const described = settingsOf(settings.constructor as SettingsClass).map((setting) => [
    setting.name,
    describeValue(setting, (settings as Mapping)[setting.name]),
  ]);
  return Object.fromEntries(described) as Mapping;
}

function describeValue({ type }: Setting, value: unknown): unknown {
  return type.kind === 'section' && value !== null ? describeSettings(value as object) : masked(value);
}

function masked(value: unknown): unknown {
  if (value instanceof Secret) return SECRET_MASK;
  if (typeof value === 'string') return withoutCredentials(value);
  if (Array.isArray(value)) return value.map(masked);
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, isSecretName(key) ? SECRET_MASK : masked(inner)]),
  );
}

/** Whether a key that somebody else defines looks like one that holds a secret. */
function isSecretName(key: string): boolean {
  return /(^|_)(password|passwd|secret|credentials?|api_key|auth_key|access_key|auth_token|access_token)$/i.test(key);
}
