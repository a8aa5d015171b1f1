import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import process from 'node:process';

import { ownEnvironment, root, StartError } from './workspace.mjs';

const tailLines = 40;

/**
 * Runs a program without showing its output.
 * Fails with a StartError that ends in the last 40 lines of that output when the program does not exit with 0.
 */
export function runQuietly(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: ownEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    const stopForwarding = forwardSignals(child);
    child.once('error', (error) => {
      stopForwarding();
      reject(new StartError(`cannot run ${command}: ${error.message}`));
    });
    child.once('close', (code, signal) => {
      const asked = stopForwarding();
      if (asked !== undefined) return reject(new StartError('was stopped', exitCodeOf(asked)));
      if (code === 0) return resolve();
      const lines = Buffer.concat(chunks).toString().trimEnd().split('\n').slice(-tailLines);
      const end = signal === null ? `exit code ${code}` : `signal ${signal}`;
      reject(new StartError(`failed (${end}):\n${lines.join('\n')}`));
    });
  });
}

/**
 * Runs a program that has the terminal, hands it the signals that this process gets, and resolves to the exit code to
 * end with (128 + number for a signal). The program is given an IPC channel, by which it can see this process die.
 */
export function runInForeground(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: ownEnvironment(),
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    });
    const stopForwarding = forwardSignals(child);
    child.once('error', (error) => {
      stopForwarding();
      reject(new StartError(`cannot run ${command}: ${error.message}`));
    });
    child.once('exit', (code, signal) => {
      stopForwarding();
      resolve(code ?? exitCodeOf(signal));
    });
  });
}

/** Hands the signals that this process gets on to a child. Returns how to end that, which tells the first one, if any. */
function forwardSignals(child) {
  let first;
  const forward = (signal) => {
    first ??= signal;
    child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
    return first;
  };
}

/** What a shell makes of a program that a signal ended. */
function exitCodeOf(signal) {
  return 128 + constants.signals[signal];
}
