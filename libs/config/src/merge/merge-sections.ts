import { isDeepStrictEqual } from 'node:util';

import type { Findings } from '../findings.js';
import { copyOf, isMapping, own, put, type Mapping } from '../mapping.js';
import type { KeySpace } from '../settings/key-space.js';
import { showValue } from '../show-value.js';

import { SECTION_NAMES, type SectionName } from './section-names.js';

/** Keys that are the edge's, but hold for its workers too. */
const SHARED_KEYS: readonly string[] = ['logging'];

/**
 * Lets both server sections inherit every top-level key that is not the edge's own, and adds to a section's router what
 * its worker arguments say (reference 1.3). A key with different values in both places is a problem. A section without
 * a key of its own is no fleet.
 */
export function mergeSections(content: Mapping, edgeKeys: KeySpace, findings: Findings): void {
  const sections = SECTION_NAMES.filter((name) => dropIfEmpty(content, name));
  for (const name of sections) {
    const section = content[name] as Mapping;
    for (const key of Object.keys(content)) {
      if (!edgeKeys.settings.has(key)) inherit(content, name, key, findings);
      else if (SHARED_KEYS.includes(key) && !Object.hasOwn(section, key)) hand(content, name, key, findings);
    }
    forceMetrics(content, name, findings);
    extendRouter(name, section, findings);
  }
  for (const key of Object.keys(content)) if (!edgeKeys.settings.has(key)) Reflect.deleteProperty(content, key);
}

function dropIfEmpty(content: Mapping, name: SectionName): boolean {
  const section = own(content, name);
  if (isMapping(section) && Object.keys(section).length > 0) return true;
  Reflect.deleteProperty(content, name);
  return false;
}

function inherit(content: Mapping, name: SectionName, key: string, findings: Findings): void {
  const section = content[name] as Mapping;
  if (!Object.hasOwn(section, key)) hand(content, name, key, findings);
  else if (!isDeepStrictEqual(section[key], content[key]))
    findings.problem(
      [name, key],
      `Parameter ${key} is specified both in the top-level and in the ${name} section, but with different values`,
    );
}

function hand(content: Mapping, name: SectionName, key: string, findings: Findings): void {
  put(content[name] as Mapping, key, copyOf(content[key]));
  findings.inheritedFrom([key], [name, key]);
}

/** Either of the edge's settings asks for the workers' figures, whatever the sections say. */
function forceMetrics(content: Mapping, name: SectionName, findings: Findings): void {
  const wish = ['return_perf_metrics', 'perf_metrics_output_dir'].find((key) => Boolean(own(content, key)));
  if (!wish) return;
  (content[name] as Mapping)['return_perf_metrics'] = true;
  findings.inheritedFrom([wish], [name, 'return_perf_metrics']);
}

function extendRouter(name: SectionName, section: Mapping, findings: Findings): void {
  const written = own(section, 'router');
  if (written !== undefined && !isMapping(written)) return;
  const router: Mapping = { type: 'round_robin', ...written };
  if (typeof router['type'] !== 'string' || router['type'] === '') {
    findings.problem([name, 'router', 'type'], `type must be a non-empty string, got ${showValue(router['type'])}`);
    router['type'] = 'round_robin';
  }
  for (const key of ['max_batch_size', 'max_num_tokens']) if (Object.hasOwn(section, key)) router[key] = section[key];
  const cache = own(section, 'kv_cache_config');
  if (isMapping(cache) && Object.hasOwn(cache, 'tokens_per_block'))
    router['tokens_per_block'] ??= cache['tokens_per_block'];
  section['router'] = router;
}
