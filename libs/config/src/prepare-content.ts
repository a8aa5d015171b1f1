import type { ConfigOptions } from './config-options.js';
import type { Findings } from './findings.js';
import type { Mapping } from './mapping.js';
import type { KeySpace, SectionKeys } from './settings/key-space.js';
import { checkKeys } from './source/check-keys.js';
import { applyEnvironment } from './source/environment.js';
import { resolveSecrets } from './source/resolve-secrets.js';

/** What both kinds of file go through first: overrides, the check of the keys, secrets. */
export function prepareContent(
  content: Mapping,
  keys: KeySpace,
  sectionKeys: SectionKeys,
  options: ConfigOptions,
  findings: Findings,
): void {
  const env = options.env ?? {};
  applyEnvironment(content, keys, sectionKeys, env, findings);
  checkKeys(content, keys, sectionKeys, findings);
  const sources = {
    env,
    folder: options.folder ?? '.',
    generateKey: options.generateKey ?? null,
  };
  resolveSecrets(content, keys, sectionKeys, sources, findings);
}
