import { ignoredKeysOf, settingsOf, type Setting, type SettingsClass } from './setting.js';

/** The keys that may stand at one place of a file. */
export interface KeySpace {
  readonly settings: ReadonlyMap<string, Setting>;
  readonly ignored: ReadonlySet<string>;
}

/** The keys of a class and of those after it; where two define the same key, the first one's counts. */
export function keySpaceOf(owner: SettingsClass, ...others: readonly SettingsClass[]): KeySpace {
  const settings = new Map<string, Setting>();
  const ignored = new Set<string>();
  for (const each of [owner, ...others]) {
    for (const setting of settingsOf(each)) if (!settings.has(setting.name)) settings.set(setting.name, setting);
    for (const name of ignoredKeysOf(each)) ignored.add(name);
  }
  return { settings, ignored };
}

/** How the keys inside a section are found; replaceable where a section has more keys than its class. */
export type SectionKeys = (section: Setting) => KeySpace | null;

/** The keys of a section's own class; null where the setting is no section. */
export const ownSectionKeys: SectionKeys = ({ type }) => (type.kind === 'section' ? keySpaceOf(type.of()) : null);
