import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

import { phase } from './phase.mjs';
import { runQuietly } from './run.mjs';
import { inRoot, ownEnvironment, root, StartError } from './workspace.mjs';

const stampFile = inRoot('node_modules', '.roost-install-stamp');
const installedLockFile = inRoot('node_modules', '.package-lock.json');

/** Makes node_modules what package-lock.json says. Does nothing when it is already. */
export async function installPackages() {
  const wanted = wantedStamp();
  if (readIfThere(stampFile) === wanted) return;
  if (!isInstalled()) {
    await phase('installing packages (npm ci)', () => npm(installArguments));
  }
  writeFileSync(stampFile, wanted);
}

// Every flag outranks what the user's environment or npmrc would change: without the compiler nothing starts.
const installArguments = [
  'ci',
  '--include=dev',
  '--include=optional',
  '--ignore-scripts=false',
  '--engine-strict=false',
  '--loglevel=error',
  '--no-audit',
  '--no-fund',
];

function npm(args) {
  const own = process.env.npm_execpath;
  return own?.endsWith('npm-cli.js')
    ? runQuietly(process.execPath, [own, '--prefix', root, ...args])
    : runQuietly('npm', ['--prefix', root, ...args]);
}

function wantedStamp() {
  const lock = createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex');
  return `${lock} ${process.platform}-${process.arch}\n`;
}

/** Whether somebody's own `npm install` has already installed exactly what the lock file says. */
function isInstalled() {
  const installed = packagesOf(readIfThere(installedLockFile));
  if (installed === undefined) return false;
  const wanted = packagesOf(readFileSync(inRoot('package-lock.json'), 'utf8'));
  return Object.entries(wanted).every(
    ([place, { version, link, optional }]) =>
      !place.includes('node_modules/') ||
      (link && installed[place] !== undefined) ||
      (optional && installed[place] === undefined) ||
      (installed[place]?.version === version && existsSync(inRoot(place))),
  );
}

function packagesOf(lock) {
  try {
    return JSON.parse(lock ?? '').packages;
  } catch {
    return undefined;
  }
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/**
 * The Node.js that the workspace runs on: the installed package `node`, whatever the system has.
 * Fails when it is not what the manifest asks for - a package manager that skips install scripts leaves it out, and
 * everything would silently run on the system's Node.js.
 */
export function pinnedNode() {
  const { devDependencies } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const wanted = devDependencies.node;
  const node = inRoot('node_modules', '.bin', 'node');
  const found = versionOf(node);
  if (found !== wanted) {
    throw new StartError(
      `node_modules/.bin/node must be Node.js ${wanted} but is ${found}.\n` +
        'Its install script did not run or does not fit this machine. Try: npm rebuild node --ignore-scripts=false',
    );
  }
  return node;
}

function versionOf(node) {
  try {
    return execFileSync(node, ['-p', 'process.versions.node'], {
      encoding: 'utf8',
      env: ownEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'missing';
  }
}
