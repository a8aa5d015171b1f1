import { performance } from 'node:perf_hooks';
import process from 'node:process';

import { StartError } from './workspace.mjs';

/**
 * Does one step of the preparation and says so in one line on stderr, with the seconds that it took.
 * A failure is told with the step's name.
 */
export async function phase(title, work) {
  const start = performance.now();
  process.stderr.write(`roost: ${title} ... `);
  const end = (word) => {
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stderr.write(`${word} ${seconds} s\n`);
  };
  try {
    const result = await work();
    end('done in');
    return result;
  } catch (error) {
    end('failed after');
    throw error instanceof StartError ? new StartError(`${title} ${error.message}`, error.exitCode) : error;
  }
}
