import { existsSync } from 'node:fs';
import path from 'node:path';

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
