import { readdirSync, readFileSync } from 'node:fs';

/** What a process, and all that it has started, has used so far. */
export interface ProcessUsage {
  /** User and system time. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** Clock ticks a second and bytes a page, which Linux has fixed for what it shows to programs on x86-64 and arm64. */
const TICKS = 100;
const PAGE = 4_096;

/** Reads the usage of a process and of its descendants from /proc (Linux); zeros when it is gone. */
export function usageOf(pid: number): ProcessUsage {
  let cpuSeconds = 0;
  let residentBytes = 0;
  for (const each of [pid, ...descendantsOf(pid)]) {
    const fields = statOf(each);
    if (fields === null) continue;
    cpuSeconds += (Number(fields[11]) + Number(fields[12])) / TICKS;
    residentBytes += Number(fields[21]) * PAGE;
  }
  return { cpuSeconds, residentBytes };
}

/** Milliseconds that the main thread of a process has been ready to run and has not run, from /proc (Linux); NaN when it is gone. */
export function waitedForProcessor(pid: number): number {
  try {
    const [, waited] = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/schedstat`, 'utf8').split(' ');
    return Number(waited) / 1e6;
  } catch {
    return NaN;
  }
}

function descendantsOf(pid: number): number[] {
  const tasks = `/proc/${String(pid)}/task`;
  const children = orEmpty(() => readdirSync(tasks)).flatMap((task) =>
    orEmpty(() => readFileSync(`${tasks}/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)),
  );
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** What is read of a process; nothing when it is gone. */
function orEmpty<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** The fields of a process's `stat` after its name, which may hold spaces; null when it is gone. */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
