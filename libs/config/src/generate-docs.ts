import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

import { generatedFiles } from './reference/generated-files.js';

/** Writes the generated reference; with `--check`, fails where a committed file differs from what would be written. */
const root = path.resolve(import.meta.dirname, '../../..');
const isCheck = process.argv.includes('--check');

for (const [name, content] of generatedFiles()) {
  const file = path.join(root, name);
  if (!isCheck) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  } else if (read(file) !== content) {
    process.stderr.write(`${name} is not current: run node libs/config/dist/generate-docs.js\n`);
    process.exitCode = 1;
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
