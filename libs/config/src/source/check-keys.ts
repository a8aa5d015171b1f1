import type { Findings, KeyPath } from '../findings.js';
import { isMapping, put, type Mapping } from '../mapping.js';
import { editDistance, nameDistance, nearestName } from '../nearest-name.js';
import type { KeySpace, SectionKeys } from '../settings/key-space.js';
import type { Setting } from '../settings/setting.js';
import { showValue } from '../show-value.js';

/**
 * Checks which keys are there, at every depth: an unknown one is a problem that names the nearest known one if any is near, upstream's
 * engine tuning is listed in one warning. Takes out what is null where null stands for the default, and sections that
 * are no mappings.
 */
export function checkKeys(content: Mapping, keys: KeySpace, sectionKeys: SectionKeys, findings: Findings): void {
  const ignored: string[] = [];
  checkLevel(content, [], keys);
  if (ignored.length > 0) findings.warn(`keys of upstream that mean nothing here are ignored: ${ignored.join(', ')}`);

  function checkLevel(level: Mapping, at: KeyPath, known: KeySpace): void {
    for (const [name, value] of Object.entries(level)) {
      const path = [...at, name];
      const setting = known.settings.get(name);
      if (setting) checkSetting(level, path, setting, value);
      else if (known.ignored.has(name)) ignored.push(path.join('.'));
      else findings.problem(path, unknownKey(name, keys, known, sectionKeys));
    }
  }

  function checkSetting(level: Mapping, path: KeyPath, setting: Setting, value: unknown): void {
    const inner = sectionKeys(setting);
    if (value === null) {
      if (!setting.keepsNull) Reflect.deleteProperty(level, setting.name);
    } else if (inner && isMapping(value)) checkLevel(value, path, inner);
    else if (inner) {
      findings.problem(path, `${setting.name} must be a mapping, got ${showValue(value)}`);
      Reflect.deleteProperty(level, setting.name);
    }
  }
}

/** Leaves in a mapping, at every depth, what is a setting. */
export function onlySettings(content: Mapping, keys: KeySpace, sectionKeys: SectionKeys): Mapping {
  const kept: Mapping = {};
  for (const [name, value] of Object.entries(content)) {
    const setting = keys.settings.get(name);
    if (!setting) continue;
    const inner = sectionKeys(setting);
    put(kept, name, inner && isMapping(value) ? onlySettings(value, inner, sectionKeys) : value);
  }
  return kept;
}

/** How far a key in another place may be from the one written and still be what was meant. */
const NEARLY_THE_SAME = 1;

/** A guess that changes more of a name than this share of it misleads. */
const GUESSABLE_SHARE = 1 / 3;

function unknownKey(name: string, top: KeySpace, known: KeySpace, sectionKeys: SectionKeys): string {
  const elsewhere = keysElsewhere(top, known, sectionKeys).find(
    (each) => editDistance(name, each.name) <= NEARLY_THE_SAME,
  );
  const nearest = nearestName(name, known.settings.keys());
  const isHere = nearest !== null && editDistance(name, nearest) <= NEARLY_THE_SAME;
  const guess = nearest !== null && isGuessable(name, nearest) ? nearest : null;
  const meant = isHere ? nearest : (elsewhere?.written ?? guess);
  const unknown = `${name} is not a known key here`;
  return meant === null ? unknown : `${unknown}; did you mean ${meant}?`;
}

function isGuessable(name: string, nearest: string): boolean {
  return nameDistance(name, nearest) <= Math.max(2, name.length * GUESSABLE_SHARE);
}

/** The keys one level below and at the top: a key is often right and only in the wrong place. */
function keysElsewhere(
  top: KeySpace,
  known: KeySpace,
  sectionKeys: SectionKeys,
): readonly { readonly name: string; readonly written: string }[] {
  const below = [...known.settings.values()].flatMap((setting) =>
    [...(sectionKeys(setting)?.settings.keys() ?? [])].map((name) => ({ name, written: `${setting.name}.${name}` })),
  );
  const above = [...top.settings.keys()].map((name) => ({ name, written: `${name} at the top level` }));
  return known === top ? below : [...below, ...above];
}
