import { existsSync } from 'node:fs';
import path from 'node:path';

/** The file that a caller has named: npm runs its scripts in the directory of package.json, not where it was called. */
export function inCallersDirectory(file: string): string {
  const calledIn = process.env['INIT_CWD'];
  return existsSync(file) || calledIn === undefined ? file : path.resolve(calledIn, file);
}
