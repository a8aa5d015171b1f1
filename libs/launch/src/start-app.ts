import { parseArgs } from 'node:util';

import { weighBuffersWithHeap } from './buffer-memory.js';
import { requireNode } from './node-version.js';

/** What an app's process writes of a start that failed. */
export function startFailure(name: string, error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const address = /EADDRINUSE[^0-9]*(\S+:\d+)|No address added.*?(\S+:\d+)/s.exec(text);
  const inUse = address?.[1] ?? address?.[2];
  return inUse === undefined
    ? `${name}: ${text}`
    : `${name}: ${inUse} is in use: stop the process that listens there, or choose another port`;
}

/**
 * Runs an app in this process: `start` gets the file named by `-c FILE` or `--config FILE`. A start that fails is said in
 * one message on standard error, and ends the process with status 1.
 */
export async function startApp(name: string, start: (configFile: string) => Promise<void>): Promise<void> {
  process.on('unhandledRejection', (error) => {
    // One request's stray failure must not take every other request down with the process.
    process.stderr.write(
      `${JSON.stringify({ level: 'error', app: name, msg: 'unhandled rejection', err: textOf(error) })}\n`,
    );
  });
  requireNode(name);
  weighBuffersWithHeap();
  try {
    const { values } = parseArgs({ options: { config: { type: 'string', short: 'c' } } });
    if (values.config === undefined) throw new Error('name the configuration file: -c FILE');
    await start(values.config);
  } catch (error) {
    process.stderr.write(`${startFailure(name, error)}\n`);
    process.exit(1);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
