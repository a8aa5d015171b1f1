import { SECRET_MASK } from './secret.js';

const LONGEST = 80;

/** Text with the credentials of any URL in it masked. */
export function withoutCredentials(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/gi, `$1${SECRET_MASK}@`);
}

/** A configured value as an error message quotes it: short, on one line, without credentials. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return showText(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null || value === undefined) return value === null ? 'null' : 'nothing';
  return Array.isArray(value) ? 'a list' : 'a mapping';
}

/** The name that Python gives the type of a value parsed from YAML: upstream's error texts use it. */
export function pythonTypeName(value: unknown): string {
  if (value === null || value === undefined) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  const names: Record<string, string> = { string: 'str', boolean: 'bool' };
  return names[typeof value] ?? 'dict';
}

function showText(text: string): string {
  const shown = withoutCredentials(text)
    .replace(/^[^/\s]*@/, `${SECRET_MASK}@`)
    .replace(/[\r\n]+/g, ' ');
  return shown.length > LONGEST ? `'${shown.slice(0, LONGEST)}...'` : `'${shown}'`;
}
