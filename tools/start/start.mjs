// `npm start` and `npm run roost`: prepares the workspace, then runs the roost command line with the arguments given.
import process from 'node:process';

import { withClusterFile } from './cluster-file.mjs';
import { prepare } from './prepare.mjs';
import { runInForeground } from './run.mjs';
import { inRoot, reportFailure } from './workspace.mjs';

try {
  const node = await prepare();
  process.exitCode = await runInForeground(
    node,
    [inRoot('tools', 'cli', 'dist', 'main.js'), ...withClusterFile(process.argv.slice(2))],
    process.cwd(),
  );
} catch (error) {
  reportFailure(error);
}
