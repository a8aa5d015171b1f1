import type { Findings } from '../findings.js';
import { isMapping, own, put, type Mapping } from '../mapping.js';
import { AUTH_KEY_SETTINGS } from '../schema/auth-keys.js';
import { Secret } from '../secret.js';

import { SECTION_NAMES } from './section-names.js';

/**
 * Takes the keys for authentication out of the server sections and makes them the cluster's, as upstream does (reference
 * 1.2). Different keys in two places are a problem that shows neither.
 */
export function mergeAuthKeys(content: Mapping, findings: Findings): void {
  for (const name of AUTH_KEY_SETTINGS) mergeKey(content, name, findings);
}

interface Written {
  readonly section: string;
  readonly value: unknown;
}

function mergeKey(content: Mapping, name: string, findings: Findings): void {
  const written = takeFromSections(content, name);
  if (!Object.hasOwn(content, name)) {
    const [first] = written;
    if (!first) return;
    put(content, name, first.value);
    findings.inheritedFrom([first.section, name], [name]);
    report(written, first.value, SECTION_NAMES.join(' and '));
  } else report(written, content[name], null);

  function report(others: readonly Written[], value: unknown, between: string | null): void {
    const other = others.find((each) => !sameKeys(each.value, value));
    if (!other) return;
    const places = between ?? `the top-level config and ${other.section}`;
    findings.problem([other.section, name], `${name} must match between ${places}`);
  }
}

function takeFromSections(content: Mapping, name: string): readonly Written[] {
  return SECTION_NAMES.flatMap((section) => {
    const mapping = own(content, section);
    if (!isMapping(mapping) || !Object.hasOwn(mapping, name)) return [];
    const value = mapping[name];
    Reflect.deleteProperty(mapping, name);
    return [{ section, value }];
  });
}

function sameKeys(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, index) => sameKeys(each, b[index]));
  return a instanceof Secret && b instanceof Secret ? a.equals(b) : a === b;
}
