// Makes a fresh clone ready to run, on any Node.js from 18 on: packages installed, sources compiled. Run again, it does
// only what has become stale. Everything that it says goes to stderr.
import { mkdirSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

import { build } from './build.mjs';
import { installPackages, pinnedNode } from './install.mjs';
import { withLock } from './lock.mjs';
import { inRoot, reportFailure } from './workspace.mjs';

/**
 * Installs and compiles what is stale, one process at a time, and resolves to the path of the Node.js to run on.
 * Fails with a StartError that says which step failed and why.
 */
export async function prepare() {
  mkdirSync(inRoot('.nx'), { recursive: true });
  return withLock(
    inRoot('.nx', 'prepare.lock'),
    async () => {
      await installPackages();
      const node = pinnedNode();
      await build(node);
      return node;
    },
    (owner) => process.stderr.write(`roost: waiting for process ${owner}, which is preparing this workspace\n`),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) prepare().catch(reportFailure);
