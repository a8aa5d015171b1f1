import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** Where tools/bench/install-peers.sh puts the routers from PyPI. */
const PEERS = process.env['ROOST_PEERS'] ?? path.join(homedir(), '.cache', 'roost-peers');

/** A program of a package in its virtual environment. */
export function programOf(name: string, program = name): string {
  return path.join(PEERS, name, 'bin', program);
}

/** The version of a package in its virtual environment; null when there is none. */
export function packageVersion(name: string): string | null {
  const code = `import importlib.metadata as m; print(m.version(${JSON.stringify(name)}))`;
  return firstMatch(spawnSync(programOf(name, 'python'), ['-c', code], { encoding: 'utf8' }).stdout, /^(\S+)/);
}

/** The version that a program tells; null when it is not installed. */
export function toldVersion(program: string, argument: string, pattern: RegExp): string | null {
  const { stdout, stderr } = spawnSync(program, [argument], { encoding: 'utf8' });
  return firstMatch([stdout, stderr].join(), pattern);
}

function firstMatch(text: string | null, pattern: RegExp): string | null {
  return pattern.exec(text ?? '')?.[1] ?? null;
}
