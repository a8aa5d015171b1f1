// Checks what no other tool does: that TypeScript's project references are the workspace's own dependencies, that a
// third-party package has one version in every manifest, and that Nest is installed once.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const scope = `${read('package.json').name.split('/')[0]}/`;
const projects = globSync(['apps/*/package.json', 'libs/*/package.json', 'tools/*/package.json'])
  .map((file) => path.dirname(file))
  .map((root) => ({
    root,
    manifest: read(`${root}/package.json`),
  }));
const rootOf = new Map(projects.map(({ root, manifest }) => [manifest.name, root]));
const problems = [];

for (const { root, manifest } of projects.filter(({ root }) => root !== 'tools/e2e')) {
  const expected = Object.keys(manifest.dependencies ?? {})
    .filter((name) => name.startsWith(scope))
    .map((name) => path.relative(root, rootOf.get(name)))
    .sort();
  const actual = (read(`${root}/tsconfig.json`).references ?? []).map((reference) => reference.path).sort();
  if (expected.join() !== actual.join()) problems.push(`${root}: references [${actual}] but depends on [${expected}]`);
}

const versions = new Map();
for (const { manifest } of projects) {
  for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
    versions.set(name, new Set([...(versions.get(name) ?? []), version]));
  }
}
for (const [name, found] of versions) if (found.size > 1) problems.push(`${name}: versions ${[...found].join(', ')}`);

const installed = Object.keys(read('package-lock.json').packages);
for (const name of ['@nestjs/common', '@nestjs/core']) {
  const copies = installed.filter((key) => key.endsWith(`node_modules/${name}`));
  if (copies.length > 1) problems.push(`${name} is installed ${copies.length} times: ${copies.join(', ')}`);
}

const version = /ROOST_VERSION = '(.*)'/.exec(readFileSync('libs/protocol/src/version.ts', 'utf8'))?.[1];
for (const { root, manifest } of [{ root: '.', manifest: read('package.json') }, ...projects]) {
  if (manifest.version !== version)
    problems.push(`${root}: version ${manifest.version}, but ROOST_VERSION is ${version}`);
}

for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
