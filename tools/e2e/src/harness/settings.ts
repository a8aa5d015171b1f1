/** Keys of a configuration file, as they are written there. */
export type Settings = Readonly<Record<string, unknown>>;

/** All settings in one; a later one wins, key by key and section by section. Lists are replaced as a whole. */
export function mergeSettings(...all: readonly Settings[]): Settings {
  const merged: Record<string, unknown> = {};
  for (const settings of all) {
    for (const [key, value] of Object.entries(settings)) {
      const before = merged[key];
      merged[key] = isSection(before) && isSection(value) ? mergeSettings(before, value) : value;
    }
  }
  return merged;
}

function isSection(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
