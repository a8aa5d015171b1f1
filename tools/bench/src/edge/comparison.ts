import type { LoadProcess } from '../load/load-process.js';
import type { LoadFigures, LoadSpec, LoadTarget } from '../load/load-spec.js';
import { type ProcessUsage, usageOf } from '../machine/process-usage.js';

/** Somebody who serves a load. */
export interface Contender {
  readonly name: string;
  readonly target: LoadTarget;
  /** The process whose usage counts; null where the workers are called directly. */
  readonly pid: number | null;
}

/** One measurement of one contender. */
export interface Run extends LoadFigures {
  readonly requestsPerSecond: number;
  readonly tokensPerSecond: number;
  /** Processor time that the contender's process took for a request, in milliseconds; NaN where none is watched. */
  readonly cpuPerRequest: number;
  readonly residentBytes: number;
}

/**
 * Measures contenders in turns, so that what the machine does besides hits all of them alike. A first turn warms them up
 * and does not count.
 *
 * @returns each contender's runs, in the order of the rounds
 */
export async function compare(
  load: LoadProcess,
  contenders: readonly Contender[],
  spec: Omit<LoadSpec, 'target'>,
  rounds: number,
): Promise<Map<Contender, Run[]>> {
  const runs = new Map<Contender, Run[]>(contenders.map((contender) => [contender, []]));
  for (const contender of contenders) await measure(load, contender, { ...spec, seconds: WARM_UP_SECONDS });
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of contenders) runs.get(contender)?.push(await measure(load, contender, spec));
  }
  return runs;
}

/** Long enough for code to be compiled. */
const WARM_UP_SECONDS = 1.5;

/** Measures one contender once. */
export async function measure(
  load: LoadProcess,
  { target, pid }: Contender,
  spec: Omit<LoadSpec, 'target'>,
): Promise<Run> {
  const before = usage(pid);
  const figures = await load.put({ ...spec, target });
  const after = usage(pid);
  const { requests, seconds, tokens } = figures;
  return {
    ...figures,
    requestsPerSecond: requests / seconds,
    tokensPerSecond: tokens / seconds,
    cpuPerRequest: ((after.cpuSeconds - before.cpuSeconds) / requests) * 1_000,
    residentBytes: after.residentBytes,
  };
}

function usage(pid: number | null): ProcessUsage {
  return pid === null ? { cpuSeconds: NaN, residentBytes: NaN } : usageOf(pid);
}
