import { readFileSync } from 'node:fs';

import { ConfigError } from '../config-error.js';

import { parseYaml, type ConfigSource } from './yaml-source.js';

/**
 * Reads a configuration file.
 *
 * @throws ConfigError when it is missing, unreadable, not valid YAML, or not a mapping
 */
export function readSource(path: string): ConfigSource {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const message = `the file cannot be read: ${reasonOf(error)}`;
    throw new ConfigError(path, [{ path: '', message, line: null }]);
  }
  return parseYaml(text, path);
}

/** Why a file could not be read, in words. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: 'it does not exist',
    EACCES: 'permission denied',
    EISDIR: 'it is a directory',
  };
  return reasons[code ?? ''] ?? code ?? 'unknown reason';
}
