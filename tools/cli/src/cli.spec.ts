// Owns the command line as a user meets it: the built program, its help, its messages, its exit codes, its processes.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { freePort } from './launch/launch.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const ownVersion = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function roost(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...args], { env: environment() }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/** Jest's own variables would colour the output and resolve the workspace's packages to their sources. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: directory };
}

let directory: string;

beforeAll(() => {
  if (!existsSync(main)) throw new Error('tools/cli is not built: run `npm test` or `npm run build` first');
  directory = mkdtempSync(path.join(tmpdir(), 'roost-cli-'));
});

afterAll(() => rmSync(directory, { recursive: true }));

function fileOf(name: string, text: string): string {
  const file = path.join(directory, name);
  writeFileSync(file, text);
  return file;
}

describe('roost', () => {
  it('prints its version', async () => {
    expect(await roost('--version')).toEqual({ code: 0, stdout: `${ownVersion}\n`, stderr: '' });
  });

  it('lists its commands, with examples', async () => {
    const { code, stdout } = await roost('--help');
    expect(code).toBe(0);
    for (const command of [
      'up',
      'edge',
      'context-worker',
      'generation-worker',
      'config',
      'demo',
      'conformance',
      'replay',
      'generate-trace',
    ])
      expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    expect(stdout).toContain('$ roost up -c');
  });

  it.each([
    'up',
    'edge',
    'context-worker',
    'generation-worker',
    'config check',
    'demo',
    'conformance',
    'replay',
    'generate-trace',
  ])('explains %s with an example', async (command) => {
    const { code, stdout } = await roost(...command.split(' '), '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Examples?:\n {2}\$ roost /);
  });

  it.each([
    ['an unknown command', ['upp'], '(Did you mean up?)'],
    ['an unknown option', ['up', '--confg', 'x'], '(Did you mean --config?)'],
    ['a missing option', ['up'], "required option '-c, --config <file>' not specified"],
    ['two options that exclude each other', ['up', '-c', 'x', '--quiet', '--verbose'], 'cannot be used with option'],
    ['a time that is none', ['up', '-c', 'x', '--start-timeout', 'soon'], 'must be a number of seconds above 0'],
  ])('refuses %s and helps', async (_what, args, message) => {
    const { code, stderr } = await roost(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  it.each([
    ['of all', ['upp'], '(roost --help shows all commands)'],
    ['of the command', ['up', '--confg', 'x'], '(roost up --help shows what it takes)'],
    ['of the subcommand', ['config', 'check'], '(roost config check --help shows what it takes)'],
    ['of a command that knows its options itself', ['replay', '--instances', '0'], '(roost replay --help shows what'],
    ['of its neighbour', ['generate-trace', '--seed', 'x'], '(roost generate-trace --help shows what it takes)'],
  ])('points from what it refuses to the help %s', async (_whose, args, hint) => {
    const { code, stderr } = await roost(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(hint);
  });
});

describe('roost config check', () => {
  it('prints the configuration in effect without secrets, warnings apart', async () => {
    const file = fileOf(
      'good.yaml',
      'internal_request_auth_key: hidden-key\nreturn_perf_metrics: true\ngeneration_servers: {urls: ["127.0.0.1:1"]}\n',
    );
    const { code, stdout, stderr } = await roost('config', 'check', file);
    expect(code).toBe(0);
    expect(stdout).toContain('port: 8000\n');
    expect(stdout + stderr).not.toContain('hidden-key');
    expect(stderr).toMatch(/^warning: .*return_perf_metrics/m);
  });

  it('prints every error with its path', async () => {
    const file = fileOf('bad.yaml', 'prt: 1\nnode_id: 300\ngeneration_servers: {urls: ["127.0.0.1:1"]}\n');
    const { code, stdout, stderr } = await roost('config', 'check', file);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/prt.*port/);
    expect(stderr).toContain('node_id must be in range [0, 256), got 300');
    expect(stderr).not.toContain('    at ');
  });

  it('says how to check what looks like a worker file', async () => {
    const { code, stderr } = await roost('config', 'check', fileOf('role.yaml', 'role: CONTEXT\n'));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^hint: .*--worker$/m);
  });

  it('reads a worker file', async () => {
    const { code, stdout } = await roost('config', 'check', '--worker', fileOf('worker.yaml', 'port: 8111\n'));
    expect(code).toBe(0);
    expect(stdout).toContain('port: 8111\n');
  });
});

describe('roost demo', () => {
  it('says how to start a cluster when none is there', async () => {
    const port = await freePort('127.0.0.1');
    const { code, stderr } = await roost('demo', '--url', `http://127.0.0.1:${String(port)}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^roost: nothing answers at .*npm start/);
  });
});

describe('roost up', () => {
  const launches: ChildProcess[] = [];

  afterEach(async () => {
    for (const child of launches.splice(0))
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
  });

  interface Cluster {
    readonly file: string;
    readonly port: number;
    readonly workerPort: number;
  }

  async function cluster(): Promise<Cluster> {
    const [port, context, generation] = [
      await freePort('127.0.0.1'),
      await freePort('127.0.0.1'),
      await freePort('127.0.0.1'),
    ];
    const text = `
hostname: 127.0.0.1
port: ${String(port)}
internal_request_auth_key: generate
conversation_affinity_header_for_subagents: X-Parent
edge: { explain_headers: true }
context_servers: { urls: ['127.0.0.1:${String(context)}'], router: { type: conversation } }
generation_servers: { urls: ['127.0.0.1:${String(generation)}'], router: { type: conversation } }
`;
    return { file: fileOf(`cluster-${String(port)}.yaml`, text), port, workerPort: context };
  }

  /** A launch whose output can be waited for. */
  function up(file: string): {
    child: ChildProcess;
    until: (pattern: RegExp) => Promise<string>;
    output: () => string;
  } {
    const child = spawn(process.execPath, [main, 'up', '-c', file], { env: environment() });
    launches.push(child);
    const lines: string[] = [];
    const waiting = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        for (const look of waiting) look();
      });
    const until = (pattern: RegExp): Promise<string> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find((line) => pattern.test(line));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        child.once('close', () => reject(new Error(`no ${String(pattern)} in:\n${lines.join('\n')}`)));
      });
    return { child, until, output: () => lines.join('\n') };
  }

  it('serves, restarts a worker that dies, and stops on one Ctrl-C that arrives thrice', async () => {
    const { file, port } = await cluster();
    const { child, until, output } = up(file);
    await until(/Ctrl-C stops everything/);
    expect(output()).toContain(`Roost is up at http://127.0.0.1:${String(port)}`);
    expect(output()).toContain('X-Parent');
    expect(output()).not.toContain('\u001b');

    const demo = await roost('demo', '--json', '--url', `http://127.0.0.1:${String(port)}`);
    const results = demo.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(results.map(({ run, name }) => [run, name])).toEqual([
      ['with_parent_header', 'parent'],
      ['with_parent_header', 'sub-agent A'],
      ['with_parent_header', 'sub-agent B'],
      ['without_parent_header', 'parent'],
      ['without_parent_header', 'sub-agent A'],
      ['without_parent_header', 'sub-agent B'],
    ]);
    const [parent, subAgent] = results;
    expect(subAgent).toMatchObject({
      routing_key: parent?.['session_id'],
      context_instance: parent?.['context_instance'],
      context_rank: parent?.['context_rank'],
    });
    await until(/request chat ok/);

    const worker = pidOf(`context-0.yaml`);
    process.kill(worker, 'SIGKILL');
    await until(/^roost: context-0 was ended by SIGKILL.*started again/);

    for (let arrival = 0; arrival < 3; arrival++) child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(readdirSync(directory).filter((name) => name.startsWith('roost-'))).toEqual([]);
  }, 60_000);

  it('takes its children with it however it dies', async () => {
    const { file } = await cluster();
    const { child, until } = up(file);
    await until(/Ctrl-C stops everything/);
    child.kill('SIGKILL');
    // The pipes close when the last of the children, which hold none, and the launch are gone.
    await once(child, 'close');
    await expect(untilGone('context-0.yaml')).resolves.toBeUndefined();
  }, 60_000);

  it('says in one line whose port is taken', async () => {
    const { file, workerPort } = await cluster();
    const server = createServer().listen(workerPort, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await roost('up', '-c', file);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(new RegExp(`^roost: context-0: port ${String(port)} .* is taken`));
    server.close();
  });

  it('says what is wrong in a configuration, and starts nothing', async () => {
    const { code, stdout, stderr } = await roost('up', '-c', fileOf('broken.yaml', 'prt: 1\n'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/prt.*port/);
  });

  it('says that a file is not there', async () => {
    const { code, stderr } = await roost('up', '-c', '/no/such/file.yaml');
    expect(code).toBe(1);
    expect(stderr).toContain('/no/such/file.yaml');
  });

  it('says which child could not start, and why', async () => {
    const { file } = await cluster();
    const broken = fileOf('engine.yaml', `${readFileSync(file, 'utf8')}engine: { type: unheard-of }\n`);
    const { code, stderr } = await roost('up', '-c', broken);
    expect(code).toBe(1);
    expect(stderr).toMatch(/roost: (context|generation)-0 exited with code 1 before it was ready: .*unheard-of/);
  }, 60_000);

  /** The process of this spec's launches whose arguments end in a file of that name. */
  function findPid(name: string): number | undefined {
    const line = processes().find((each) => each.includes(directory) && each.trimEnd().endsWith(name));
    return line === undefined ? undefined : parseInt(line, 10);
  }

  function pidOf(name: string): number {
    const pid = findPid(name);
    if (pid === undefined) throw new Error(`no process was started with ${name}`);
    return pid;
  }

  /** A line for each process, process id first. Slim images have no `ps`, and not every system has /proc. */
  function processes(): readonly string[] {
    if (!existsSync('/proc/self/cmdline'))
      return execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map((pid) => `${pid} ${commandLine(pid)}`);
  }

  function commandLine(pid: string): string {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return '';
    }
  }

  async function untilGone(name: string): Promise<void> {
    while (findPid(name) !== undefined) await new Promise((resolve) => setImmediate(resolve));
  }
});
