import type { LoadProcess } from '../load/load-process.js';
import type { Child } from '../machine/children.js';
import { usageOf, waitedForProcessor } from '../machine/process-usage.js';

import { type Run, measure } from './comparison.js';
import type { RoostCluster } from './roost-cluster.js';

/** Many streams at once, for long. */
export interface SoakOptions {
  readonly streams: number;
  readonly seconds: number;
  readonly tokens: number;
}

/** What became of them. */
export interface SoakResult {
  readonly run: Run;
  /** Resident memory of the edge, every few seconds from the beginning. */
  readonly memory: readonly number[];
  /** The highest 99th percentile of the event loop's delay between two looks after warm-up, in milliseconds; NaN without metrics. */
  readonly loopDelayP99: number;
  /** Share of the time after warm-up in which the edge's event loop was ready to run, and others had the processors. */
  readonly waited: number;
}

/** What the edge looked like at one moment. */
interface Look {
  readonly at: number;
  readonly memory: number;
  readonly delay: number;
  /** Milliseconds that the event loop has waited for a processor since its start. */
  readonly waited: number;
}

const LOOK_EVERY_MS = 5_000;
/** Streams begin over so many seconds before the time counts, so that they do not all end at once either. */
const RAMP_SECONDS = 25;

/** Keeps many streams under way, and looks at the edge's memory and event loop meanwhile. */
export async function soak(
  load: LoadProcess,
  { edge, port }: RoostCluster,
  { streams, seconds, tokens }: SoakOptions,
): Promise<SoakResult> {
  const looks: Look[] = [];
  const timer = setInterval(() => void look(edge, port).then((seen) => looks.push(seen)), LOOK_EVERY_MS);
  const contender = { name: 'edge', target: { kind: 'http', port }, pid: edge.pid } as const;
  const run = await measure(load, contender, {
    body: 'small',
    stream: true,
    tokens,
    clients: streams,
    seconds: RAMP_SECONDS + seconds,
    rampSeconds: RAMP_SECONDS,
  });
  clearInterval(timer);
  const warm = looks.slice(Math.ceil((RAMP_SECONDS * 1_000) / LOOK_EVERY_MS));
  return {
    run,
    memory: looks.map(({ memory }) => memory),
    loopDelayP99: Math.max(...warm.map(({ delay }) => delay)) * 1_000,
    waited: waitedBetween(warm[0], warm.at(-1)),
  };
}

function waitedBetween(first: Look | undefined, last: Look | undefined): number {
  return first === undefined || last === undefined ? NaN : (last.waited - first.waited) / (last.at - first.at);
}

async function look(edge: Child, port: number): Promise<Look> {
  const answer = await fetch(`http://127.0.0.1:${String(port)}/metrics`).catch(() => null);
  const metrics = (await answer?.text()) ?? '';
  const delay = /^roost_event_loop_delay_seconds\{[^}]*quantile="0\.99"[^}]*\} (\S+)/m.exec(metrics)?.[1];
  return {
    at: performance.now(),
    memory: usageOf(edge.pid).residentBytes,
    delay: Number(delay ?? NaN),
    waited: waitedForProcessor(edge.pid),
  };
}
