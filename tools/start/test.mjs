// `npm test [-- PATTERN and other arguments of Jest]`: prepares the workspace, runs every unit test and then every
// end-to-end test, and ends with one line of counts. Fails when a test fails, and when no test ran.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

import { prepare } from './prepare.mjs';
import { runInForeground } from './run.mjs';
import { addCounts, countLine, countTests, noTests } from './test-count.mjs';
import { inRoot, reportFailure, root } from './workspace.mjs';

const runs = [
  { suite: 'unit', args: ['--maxWorkers=100%', '--testTimeout=20000'] },
  { suite: 'e2e', args: ['--runInBand', '--testTimeout=20000'] },
];

try {
  const node = await prepare();
  const directory = mkdtempSync(path.join(os.tmpdir(), 'roost-test-'));
  try {
    let total = noTests;
    let worstCode = 0;
    for (const run of runs) {
      const outputFile = path.join(directory, `${run.suite}.json`);
      const code = await runJest(node, run, outputFile);
      total = addCounts(total, countTests(readReport(outputFile)));
      worstCode = Math.max(worstCode, code);
      if (code > 128) break;
    }
    const nothingRan = total.passed + total.failed === 0;
    if (nothingRan) console.error('roost: no test ran');
    console.log(countLine(total));
    process.exitCode = nothingRan || total.failed > 0 ? 1 : worstCode;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
} catch (error) {
  reportFailure(error);
}

function runJest(node, { suite, args }, outputFile) {
  const jest = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    inRoot('node_modules', 'jest', 'bin', 'jest.js'),
    '--config',
    inRoot('tools', 'start', `jest.${suite}.config.mjs`),
    '--passWithNoTests',
    '--json',
    `--outputFile=${outputFile}`,
    ...args,
    ...process.argv.slice(2),
  ];
  return runInForeground(node, jest, root);
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
