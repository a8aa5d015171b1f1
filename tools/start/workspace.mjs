import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Absolute path of a file of the repository. */
export const inRoot = (...parts) => path.join(root, ...parts);

/** A failure whose message is all that a user needs: it is printed without a stack. */
export class StartError extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Prints what went wrong on stderr and sets the exit code of this process. */
export function reportFailure(error) {
  console.error(error instanceof StartError ? `roost: ${error.message}` : error);
  process.exitCode = error instanceof StartError ? error.exitCode : 1;
}

/**
 * The environment for the workspace's own programs: the workspace's binaries first in PATH, and nothing of what `npm`
 * tells its scripts, which would otherwise steer an npm or a program started from here.
 */
export function ownEnvironment(environment = process.env) {
  const own = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^npm_(?!config_)/i.test(name) && !isSteering(name)),
  );
  const pathName = Object.keys(own).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  return {
    ...own,
    [pathName]: [inRoot('node_modules', '.bin'), own[pathName]].filter(Boolean).join(path.delimiter),
  };
}

// `npm --prefix DIR -s start` hands these flags on as npm_config_*; a registry, a proxy or a cache must stay.
const steering = new Set([
  'dry_run',
  'global',
  'ignore_scripts',
  'include',
  'json',
  'local_prefix',
  'location',
  'loglevel',
  'long',
  'omit',
  'only',
  'optional',
  'package_lock',
  'package_lock_only',
  'parseable',
  'prefix',
  'production',
  'silent',
  'workspace',
  'workspaces',
]);

function isSteering(name) {
  const [, option] = /^npm_config_(.+)$/i.exec(name) ?? [];
  return option !== undefined && steering.has(option.toLowerCase());
}
