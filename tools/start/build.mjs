import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { phase } from './phase.mjs';
import { runQuietly } from './run.mjs';
import { inRoot } from './workspace.mjs';

const stampFile = inRoot('.nx', 'build-stamp');
const manifests = ['package.json', 'tsconfig.json'];

/** Compiles the command line and all that it starts. Does nothing when no source changed since the last time. */
export async function build(node) {
  const sources = sourceHash();
  if (isBuilt(sources)) return;
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
  const products = projects().map(distOf).filter(existsSync);
  writeFileSync(stampFile, JSON.stringify({ sources, products }));
}

/** Whether these sources were built the last time, and all that was made of them is still there. */
function isBuilt(sources) {
  try {
    const last = JSON.parse(readFileSync(stampFile, 'utf8'));
    return last.sources === sources && last.products.every(existsSync);
  } catch {
    return false;
  }
}

/** Changes when a source or a manifest of a project is added, removed or written. */
function sourceHash() {
  const hash = createHash('sha256');
  for (const file of ['tsconfig.base.json', 'package-lock.json']) addFile(hash, inRoot(file));
  for (const project of projects()) {
    for (const name of manifests) addFile(hash, path.join(project, name));
    addDirectory(hash, path.join(project, 'src'));
  }
  return hash.digest('hex');
}

function projects() {
  return ['apps', 'libs', 'tools']
    .flatMap((group) => readdirSync(inRoot(group)).map((name) => inRoot(group, name)))
    .filter((directory) => manifests.every((name) => existsSync(path.join(directory, name))));
}

function distOf(project) {
  return path.join(project, 'dist');
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
