import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { Findings, KeyPath } from '../findings.js';
import { isMapping, put, type Mapping } from '../mapping.js';
import { GENERATE_KEY } from '../schema/auth-keys.js';
import { Secret } from '../secret.js';
import type { KeySpace, SectionKeys } from '../settings/key-space.js';

import type { Environment } from './environment.js';
import { reasonOf } from './read-source.js';

/** Where secrets come from that a configuration only refers to. */
export interface SecretSources {
  readonly env: Environment;
  /** The folder that `file:` paths are relative to. */
  readonly folder: string;
  /** Draws a key for `generate`; null where that makes no sense. */
  readonly generateKey: (() => string) | null;
}

/** Replaces the text of every secret setting by a {@link Secret}; what it cannot resolve is a problem, and left out. */
export function resolveSecrets(
  content: Mapping,
  keys: KeySpace,
  sectionKeys: SectionKeys,
  sources: SecretSources,
  findings: Findings,
): void {
  let generated: string | null = null;
  resolveLevel(content, [], keys);

  function resolveLevel(level: Mapping, at: KeyPath, known: KeySpace): void {
    for (const [name, value] of Object.entries(level)) {
      const setting = known.settings.get(name);
      if (!setting) continue;
      const inner = sectionKeys(setting);
      const here = [...at, name];
      if (inner && isMapping(value)) resolveLevel(value, here, inner);
      else if (setting.type.kind === 'secret') replace(level, name, resolve(value, here));
      else if (setting.type.kind === 'secrets' && Array.isArray(value))
        replace(
          level,
          name,
          value.map((each: unknown, index) => resolve(each, [...here, String(index)])),
        );
    }
  }

  /** The secret; null when a problem was found; what is no text as it is, for validation to refuse. */
  function resolve(value: unknown, at: KeyPath): unknown {
    if (typeof value !== 'string' || value === '') return value;
    try {
      const text = read(value);
      if (text !== '') return new Secret(text);
      findings.problem(at, `${value} is empty`);
    } catch (error) {
      findings.problem(at, (error as Error).message);
    }
    return null;
  }

  function read(value: string): string {
    if (value === GENERATE_KEY) {
      if (!sources.generateKey)
        throw new Error(
          'generate works in a combined launch only: processes that are started one by one need the same key, given as env:NAME or file:PATH',
        );
      return (generated ??= sources.generateKey());
    }
    if (value.startsWith('env:')) return readVariable(value.slice(4), sources);
    if (value.startsWith('file:')) return readFile(value.slice(5), sources);
    return value;
  }
}

function readVariable(name: string, { env }: SecretSources): string {
  const value = env[name];
  if (value === undefined || value === '') throw new Error(`the environment variable ${name} is not set`);
  return value;
}

function readFile(name: string, { folder }: SecretSources): string {
  try {
    // Editors and `echo` end a file with a newline, which belongs to no key.
    return readFileSync(path.resolve(folder, name), 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`the file ${name} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function replace(level: Mapping, name: string, value: unknown): void {
  if (value === null) Reflect.deleteProperty(level, name);
  else put(level, name, Array.isArray(value) ? value.filter((each) => each !== null) : value);
}
