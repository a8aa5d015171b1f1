import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';

import type { Findings, KeyPath } from './findings.js';
import { copyOf, isMapping, type Mapping } from './mapping.js';
import { keySpaceOf, ownSectionKeys } from './settings/key-space.js';
import type { Setting, SettingsClass } from './settings/setting.js';

/**
 * Makes settings of a mapping that holds nothing but settings. A wrong value is a problem and replaced by its default, so
 * that the checks of several keys together can go on and find everything there is to find.
 */
export function buildSettings<T extends object>(owner: new () => T, content: Mapping, findings: Findings): T {
  const usable = copyOf(content) as Mapping;
  const built = plainToInstance(owner, usable);
  const failures = validateSync(built, { stopAtFirstError: true });
  if (failures.length === 0) return built;
  for (const { path, message } of failures.flatMap((each) => flatten(each, []))) {
    findings.problem(path, message);
    remove(usable, path);
  }
  return plainToInstance(owner, usable);
}

/** Dotted paths of the settings whose value is accepted without being acted upon. */
export function idleSettings(settings: object, at: KeyPath = []): readonly KeyPath[] {
  const owner = settings.constructor as SettingsClass;
  const defaults = new owner() as Mapping;
  return [...keySpaceOf(owner).settings.values()].flatMap((setting) => {
    const value = (settings as Mapping)[setting.name];
    const path = [...at, setting.name];
    if (isSection(setting, value)) return idleSettings(value, path);
    const isIdle = value !== defaults[setting.name] && setting.isIdle(value);
    return isIdle ? [path] : [];
  });
}

function isSection(setting: Setting, value: unknown): value is object {
  return ownSectionKeys(setting) !== null && value !== null;
}

interface Failure {
  readonly path: KeyPath;
  readonly message: string;
}

function flatten(error: ValidationError, at: KeyPath): readonly Failure[] {
  const path = [...at, error.property];
  const messages = Object.values(error.constraints ?? {}).slice(0, 1);
  return [
    ...messages.map((message) => ({ path, message })),
    ...(error.children ?? []).flatMap((child) => flatten(child, path)),
  ];
}

function remove(content: Mapping, path: KeyPath): void {
  let at: unknown = content;
  for (const name of path.slice(0, -1)) at = isMapping(at) ? at[name] : null;
  if (isMapping(at)) Reflect.deleteProperty(at, path.at(-1) ?? '');
}
