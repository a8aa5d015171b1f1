import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { phase } from './phase.mjs';
import { runQuietly } from './run.mjs';
import { inRoot } from './workspace.mjs';

const stampFile = inRoot('.nx', 'build-stamp');
const product = inRoot('tools', 'cli', 'dist', 'main.js');

/** Compiles the command line and all that it starts. Does nothing when no source changed since the last time. */
export async function build(node) {
  const wanted = sourceStamp();
  if (existsSync(product) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) {
    return;
  }
  await phase('building (tsc -b)', () =>
    runQuietly(node, [
      inRoot('node_modules', 'typescript', 'bin', 'tsc'),
      '-b',
      inRoot('tools', 'cli'),
      '--pretty',
      'false',
    ]),
  );
  mkdirSync(path.dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, wanted);
}

/** Changes when a source or a manifest of a project is added, removed or written. */
function sourceStamp() {
  const hash = createHash('sha256');
  for (const file of ['tsconfig.base.json', 'package-lock.json']) addFile(hash, inRoot(file));
  for (const group of ['apps', 'libs', 'tools'])
    for (const project of readdirSync(inRoot(group))) addProject(hash, inRoot(group, project));
  return hash.digest('hex');
}

function addProject(hash, directory) {
  const manifests = ['package.json', 'tsconfig.json'].map((name) => path.join(directory, name));
  if (!manifests.every((file) => existsSync(file))) return;
  for (const file of manifests) addFile(hash, file);
  addDirectory(hash, path.join(directory, 'src'));
  hash.update(String(existsSync(path.join(directory, 'dist'))));
}

function addDirectory(hash, directory) {
  if (!existsSync(directory)) return;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const place = path.join(directory, entry.name);
    if (entry.isDirectory()) addDirectory(hash, place);
    else if (!entry.name.endsWith('.spec.ts')) addFile(hash, place);
  }
}

function addFile(hash, file) {
  const { mtimeMs, size } = statSync(file);
  hash.update(`${file}\0${mtimeMs}\0${size}\n`);
}
