import { ClusterConfig } from '../schema/cluster-config.js';
import { ServerSection } from '../schema/server-section.js';
import { WorkerArgs } from '../schema/worker-args.js';
import { WorkerConfig } from '../schema/worker-config.js';
import { settingsOf, type Setting, type SettingsClass } from '../settings/setting.js';

/** The classes that stand for a file or a section, in the order in which the reference shows them, each once. */
export function documentedClasses(): readonly SettingsClass[] {
  const found = new Set<SettingsClass>();
  for (const root of [ClusterConfig, ServerSection, WorkerArgs, WorkerConfig]) collect(root, found);
  return [...found];
}

/** The settings that a class is documented with: those of its own, not those that it has of an ancestor. */
export function ownSettings(owner: SettingsClass): readonly Setting[] {
  const parent = Object.getPrototypeOf(owner) as SettingsClass;
  const inherited = new Set(settingsOf(parent).map(({ name }) => name));
  return settingsOf(owner).filter(({ name }) => !inherited.has(name));
}

function collect(owner: SettingsClass, found: Set<SettingsClass>): void {
  if (found.has(owner)) return;
  found.add(owner);
  for (const { type } of ownSettings(owner)) if (type.kind === 'section') collect(type.of(), found);
}
