// Owns the smaller parts of the start scripts: the environment, the counts, and the running of programs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { describe, expect, it } from '@jest/globals';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const load = (name: string): Promise<unknown> => import(new URL(`../${name}`, import.meta.url).href);
const { ownEnvironment, root } = (await load('workspace.mjs')) as {
  ownEnvironment: (environment: Record<string, string>) => Record<string, string>;
  root: string;
};
const { addCounts, countLine, countTests } = (await load('test-count.mjs')) as {
  addCounts: (a: Counts, b: Counts) => Counts;
  countLine: (counts: Counts) => string;
  countTests: (report: object | undefined) => Counts;
};
const { runQuietly } = (await load('run.mjs')) as {
  runQuietly: (command: string, args: readonly string[]) => Promise<void>;
};

describe('ownEnvironment', () => {
  it('keeps where npm gets its packages from, and drops what steers an npm', () => {
    expect(
      ownEnvironment({
        HOME: '/home/me',
        PATH: '/usr/bin',
        npm_config_registry: 'https://registry.example',
        npm_config_cache: '/cache',
        npm_config_prefix: '/elsewhere',
        npm_config_ignore_scripts: 'true',
        NPM_CONFIG_OMIT: 'dev',
        npm_config_loglevel: 'silent',
        npm_lifecycle_event: 'start',
        npm_package_name: 'x',
      }),
    ).toEqual({
      HOME: '/home/me',
      PATH: `${root}/node_modules/.bin:/usr/bin`,
      npm_config_registry: 'https://registry.example',
      npm_config_cache: '/cache',
    });
  });
});

describe('counts', () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 2,
    numPendingTests: 3,
    numTodoTests: 1,
  };

  it('counts a test file that could not be run as a failure', () => {
    expect(countTests(report)).toEqual({ passed: 5, failed: 3, skipped: 4 });
  });

  it('counts a run that left no report as a failure', () => {
    expect(countTests(undefined)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it('adds up, and names skipped tests only when there are any', () => {
    const sum = addCounts(countTests(report), { passed: 1, failed: 0, skipped: 0 });
    expect(countLine(sum)).toBe('6 passed, 3 failed, 4 skipped');
    expect(countLine({ ...sum, skipped: 0 })).toBe('6 passed, 3 failed');
  });
});

describe('runQuietly', () => {
  it('tells the exit code and the end of the output of a program that fails', async () => {
    const program = 'for (let line = 0; line < 100; line++) console.log("line " + line); process.exitCode = 7';
    const failure = runQuietly(process.execPath, ['-e', program]);
    await expect(failure).rejects.toThrow('failed (exit code 7):\nline 60\n');
    await expect(failure).rejects.toThrow(/line 99$/);
  });

  it('says that a program is not there', async () => {
    await expect(runQuietly('no-such-program', [])).rejects.toThrow(/^cannot run no-such-program: /);
  });
});

describe('phase', () => {
  it('ends as a shell does when it is stopped, and takes its program along', async () => {
    const program = "process.kill(process.ppid, 'SIGINT'); setInterval(() => {}, 1e6)";
    const script = `
      import { phase } from ${JSON.stringify(new URL('../phase.mjs', import.meta.url).href)};
      import { runQuietly } from ${JSON.stringify(new URL('../run.mjs', import.meta.url).href)};
      import { reportFailure } from ${JSON.stringify(new URL('../workspace.mjs', import.meta.url).href)};
      await phase('waiting', () => runQuietly(process.execPath, ['-e', ${JSON.stringify(program)}])).catch(reportFailure);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => {
      output += String(chunk);
    });
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(output).toMatch(/^roost: waiting \.\.\. failed after [\d.]+ s\nroost: waiting was stopped\n$/);
  });
});

describe('runInForeground', () => {
  const foreground = (program: string): string => `
    import { runInForeground } from ${JSON.stringify(new URL('../run.mjs', import.meta.url).href)};
    process.exitCode = await runInForeground(process.execPath, ['-e', ${JSON.stringify(program)}], '.');`;

  it('ends with the exit code of its program', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', foreground('process.exit(5)')]);
    expect(await once(child, 'exit')).toEqual([5, null]);
  });

  it('hands a signal on and waits for its program to finish', async () => {
    const program = `process.on('SIGTERM', () => { console.log('finishing'); process.exit(0); }); console.log('running'); setInterval(() => {}, 1e6);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', foreground(program)]);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += String(chunk);
      if (output === 'running\n') child.kill('SIGTERM');
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(output).toBe('running\nfinishing\n');
  });

  it('ends as a shell does when a signal ended its program', async () => {
    const child = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      foreground(`process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1e6);`),
    ]);
    expect(await once(child, 'exit')).toEqual([130, null]);
  });
});
