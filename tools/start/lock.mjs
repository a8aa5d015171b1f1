import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const pollMilliseconds = 200;

/**
 * Does `work` while no other process that uses the same lock directory does. Waits for as long as the owner lives; the
 * lock of an owner that died is taken over. `onWait` is told the owner's process id, once.
 */
export async function withLock(directory, work, onWait = () => {}) {
  let told = false;
  while (!acquire(directory)) {
    const owner = readOwner(directory);
    if (owner !== undefined && !isAlive(owner)) {
      discard(directory, owner);
      continue;
    }
    if (owner !== undefined && !told) {
      told = true;
      onWait(owner);
    }
    await delay(pollMilliseconds);
  }
  const release = () => putAway(directory, `${directory}.done.${process.pid}`);
  process.on('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

// A directory that already holds its owner is renamed into place: nobody ever sees a lock without an owner.
function acquire(directory) {
  const own = `${directory}.${process.pid}`;
  mkdirSync(own, { recursive: true });
  writeFileSync(path.join(own, 'pid'), String(process.pid));
  try {
    renameSync(own, directory);
    return true;
  } catch {
    rmSync(own, { recursive: true, force: true });
    return false;
  }
}

// Not removed in place: a lock that has lost its owner's file but is still there, empty, can be renamed over.
function putAway(directory, aside) {
  renameSync(directory, aside);
  rmSync(aside, { recursive: true, force: true });
}

function readOwner(directory) {
  try {
    return Number(readFileSync(path.join(directory, 'pid'), 'utf8'));
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function discard(directory, deadOwner) {
  const aside = `${directory}.stale.${process.pid}`;
  try {
    renameSync(directory, aside);
    // Another process may have taken the lock over since its owner was read: then it is given back.
    if (readOwner(aside) !== deadOwner) return renameSync(aside, directory);
    rmSync(aside, { recursive: true, force: true });
  } catch {
    // Somebody else was faster.
  }
}
