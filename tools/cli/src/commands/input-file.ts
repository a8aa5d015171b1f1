import { existsSync } from 'node:fs';
import path from 'node:path';

import type { Command } from 'commander';

/**
 * The path of a file that the user named: as given, else relative to the directory in which npm was called, since npm
 * runs its scripts in the directory of package.json.
 */
export function inputFile(file: string): string {
  const calledIn = process.env['INIT_CWD'];
  if (existsSync(file) || calledIn === undefined) return file;
  const there = path.resolve(calledIn, file);
  return existsSync(there) ? there : file;
}

/**
 * The file that `-c` names. Commander's own check of a required option comes before it looks for misspelt ones, and would
 * tell who wrote `--confg` that `--config` is missing; hence this one. Ends the process when there is none.
 */
export function configFile(options: { readonly config?: string }, command: Command): string {
  if (options.config === undefined) command.error("error: required option '-c, --config <file>' not specified");
  return inputFile(options.config);
}

/** Where to write a file that the user named: as {@link inputFile}, relative to the directory in which npm was called. */
export function outputFile(file: string): string {
  return path.resolve(process.env['INIT_CWD'] ?? '.', file);
}
