/** Something to measure: how fast it can be done, or how much memory it takes. */
export type Work = {
  /** Unique; what a line of the table begins with. */
  readonly name: string;
} & (
  | {
      /** Makes ready in a process of its own, warmed up; what it gives is done once, and timed. */
      readonly prepare: () => TimedWork;
    }
  | {
      /** Bytes that each of many takes; needs `node --expose-gc`. */
      readonly bytesEach: () => number;
    }
);

/** What is timed. */
export interface TimedWork {
  /** How many decisions, or look-ups, it makes. */
  readonly operations: number;
  readonly run: () => void;
}

/** What came of it: a second of processor time or of the clock, or bytes. */
export type Figures =
  | { readonly kind: 'rate'; readonly perCpuSecond: number; readonly perSecond: number }
  | { readonly kind: 'bytes'; readonly each: number };

/** Does the work in this process. Processor time is that of all its threads, those that collect garbage included. */
export function measure(work: Work): Figures {
  if ('bytesEach' in work) return { kind: 'bytes', each: work.bytesEach() };
  const { operations, run } = work.prepare();
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const start = performance.now();
  run();
  const seconds = (performance.now() - start) / 1e3;
  const { user, system } = process.cpuUsage(cpu);
  return { kind: 'rate', perCpuSecond: operations / ((user + system) / 1e6), perSecond: operations / seconds };
}
