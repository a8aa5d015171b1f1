import type { Command } from 'commander';

import { inputFile } from './input-file.js';

/** Adds `roost conformance`. */
export function addConformanceCommand(program: Command): void {
  program
    .command('conformance')
    .summary('replay vector files against the production code')
    .description(
      'Replays files of recorded cases (signatures*.json, adp-router*.json, conversation-router*.json, identity*.json) against the code that serves requests. Ends with a line `N passed, N failed`, and with exit code 1 when a case failed.',
    )
    .argument('<file...>', 'vector files')
    .addHelpText('after', '\nExample:\n  $ roost conformance vectors/signatures.json vectors/identity.json')
    .action(async (files: string[]) => {
      const { runConformance } = await import('@roost/conformance');
      const { passed, failed } = await runConformance(files.map(inputFile), (line) => console.log(line));
      console.log(`${String(passed)} passed, ${String(failed)} failed`);
      if (failed > 0) process.exitCode = 1;
    });
}
