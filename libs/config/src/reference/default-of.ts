import type { Mapping } from '../mapping.js';
import type { Setting, SettingsClass } from '../settings/setting.js';

/** The default of a setting, as its class has it. */
export function defaultOf(owner: SettingsClass, { name }: Setting): unknown {
  return (new owner() as Mapping)[name];
}
