import { cpus, loadavg, totalmem } from 'node:os';
import process from 'node:process';

/** Where and when figures were measured, on one line. */
export function banner(): string {
  const cores = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${new Date().toISOString()}, ${String(cores.length)} cores ${cores[0]?.model ?? ''}, ${String(memory)} GB, load ${(loadavg()[0] ?? NaN).toFixed(1)} before, Node ${process.version}`;
}
