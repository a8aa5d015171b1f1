import type { Findings, KeyPath } from '../findings.js';
import { isMapping, own, put, type Mapping } from '../mapping.js';
import { nearestName } from '../nearest-name.js';
import type { KeySpace, SectionKeys } from '../settings/key-space.js';
import { byKind, type ByKind, type Setting, type SettingType } from '../settings/setting.js';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Prefix of the variables that override settings. */
const ENVIRONMENT_PREFIX = 'ROOST_';

/** Variables with the prefix that are no settings: read by the command line and by tests. */
export const OTHER_VARIABLES: readonly string[] = ['ROOST_CONFIG', 'ROOST_TRACES', 'ROOST_VECTORS'];

interface Target {
  readonly path: KeyPath;
  /** Null inside a mapping whose keys are not known here. */
  readonly type: SettingType | null;
}

/**
 * Overrides settings by environment variables: `ROOST_PORT` sets `port`, `ROOST_EDGE__REQUEST_TIMEOUT_S` sets
 * `edge.request_timeout_s`; lists are separated by commas. An empty variable counts as unset, one that names no setting is
 * warned of.
 */
export function applyEnvironment(
  content: Mapping,
  keys: KeySpace,
  sectionKeys: SectionKeys,
  env: Environment,
  findings: Findings,
): void {
  const exempt = new Set([...OTHER_VARIABLES, ...referencedVariables(content)]);
  for (const [variable, text] of Object.entries(env).sort()) {
    if (!variable.startsWith(ENVIRONMENT_PREFIX)) continue;
    if (text === undefined || text === '' || exempt.has(variable)) continue;
    const target = targetOf(variable, keys, sectionKeys);
    if (!target) {
      const nearest = nearestName(variable, variablesOf(keys, sectionKeys));
      findings.warn(
        `the environment variable ${variable} is no setting and is ignored; did you mean ${String(nearest)}?`,
      );
    } else if (assign(content, target.path, parseText(text, target.type))) findings.setBy(variable, target.path);
  }
}

/** Every variable that overrides a setting, in the order of the settings. */
export function variablesOf(keys: KeySpace, sectionKeys: SectionKeys, prefix = ENVIRONMENT_PREFIX): readonly string[] {
  return [...keys.settings.values()].flatMap((setting) => {
    const variable = `${prefix}${setting.name.toUpperCase()}`;
    const inner = sectionKeys(setting);
    if (inner) return variablesOf(inner, sectionKeys, `${variable}__`);
    return setting.type.kind === 'free' ? [] : [variable];
  });
}

function targetOf(variable: string, keys: KeySpace, sectionKeys: SectionKeys): Target | null {
  const path = variable.slice(ENVIRONMENT_PREFIX.length).toLowerCase().split('__');
  let at: KeySpace | null = keys;
  let setting: Setting | undefined;
  for (const [depth, name] of path.entries()) {
    setting = at?.settings.get(name);
    if (!setting) return null;
    if (setting.type.kind === 'free') return freeTarget(path, depth);
    at = sectionKeys(setting);
  }
  return setting && !at ? { path, type: setting.type } : null;
}

function freeTarget(path: KeyPath, depth: number): Target | null {
  const inner = path.slice(depth + 1);
  const isNamed = inner.every((name) => /^[a-z][a-z0-9_]*$/.test(name));
  return inner.length > 0 && isNamed ? { path, type: null } : null;
}

/** Whether the value could be set: not below something that is no mapping, which is found out later. */
function assign(content: Mapping, path: KeyPath, value: unknown): boolean {
  let at = content;
  for (const name of path.slice(0, -1)) {
    let inner = own(at, name);
    if (inner === undefined || inner === null) {
      inner = {};
      put(at, name, inner);
    }
    if (!isMapping(inner)) return false;
    at = inner;
  }
  put(at, path.at(-1) ?? '', value);
  return true;
}

/** The value that a text stands for; the text itself where it stands for none, for validation to refuse. */
function parseText(text: string, type: SettingType | null): unknown {
  return type ? byKind(type, PARSERS)(text) : parseAnything(text);
}

type Parser = (text: string) => unknown;

const PARSERS: ByKind<Parser> = {
  integer: () => parseNumber,
  number: () => parseNumber,
  boolean: () => parseBoolean,
  string: () => (text) => text,
  choice: () => (text) => text,
  list: () => parseList,
  secret: () => (text) => text,
  secrets: () => parseList,
  section: () => parseAnything,
  free: () => parseAnything,
};

function parseList(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A value of a setting whose type is not known here. */
function parseAnything(text: string): unknown {
  const flag = parseBoolean(text);
  return typeof flag === 'boolean' ? flag : parseNumber(text);
}

function parseNumber(text: string): unknown {
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text.trim()) ? Number(text) : text;
}

function parseBoolean(text: string): unknown {
  const values: Record<string, boolean> = { true: true, false: false };
  return values[text.trim().toLowerCase()] ?? text;
}

function referencedVariables(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('env:') ? [value.slice('env:'.length)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(referencedVariables);
}
