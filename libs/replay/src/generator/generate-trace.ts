import { gamma } from '../random/distributions.js';
import { namedRandom } from '../random/random.js';
import type { GeneratedLine } from '../trace/generated/generated-line.js';
import { GeneratedRows } from '../trace/generated/generated-rows.js';
import type { Trace } from '../trace/trace.js';

import { MainAgent } from './main-agent.js';
import { SessionLines } from './session-lines.js';
import { SubAgents } from './sub-agents.js';
import { Tenants } from './tenants.js';
import { checkTraffic, DEFAULT_TRAFFIC, type TrafficOptions } from './traffic-options.js';

/** How many sessions are looked at for one of another tenant. */
const STRANGERS = 8;

/**
 * Makes up traffic of coding agents as the agent-traffic reference 3.1 describes it, line by line in the order of time. A
 * session is made when it starts and kept until its lines are due, so memory goes by the sessions that overlap. The
 * first sessions are the same however many there are.
 *
 * @throws RangeError that names an option out of its range
 */
export function generateLines(options: Partial<TrafficOptions>): Generator<GeneratedLine, void, undefined> {
  const all = { ...DEFAULT_TRAFFIC, ...options };
  checkTraffic(all);
  return linesOf(all);
}

/** The same as a trace. */
export function generateTrace(options: Partial<TrafficOptions>): Trace {
  const rows = new GeneratedRows();
  let number = 0;
  for (const line of generateLines(options)) rows.add(line, (number += 1));
  return rows.finish();
}

function* linesOf(options: TrafficOptions): Generator<GeneratedLine, void, undefined> {
  const starts = namedRandom(options.seed, 'starts');
  const tenants = new Tenants(options.tenants, options.seed);
  let due: GeneratedLine[] = [];
  let start = 0;
  for (let index = 0; index < options.sessions; index += 1) {
    if (index > 0) start = inMilliseconds(start + gamma(starts, options.sessionInterval, options.arrivalCv));
    const later = due.findIndex(({ t }) => t > start);
    const numDue = later === -1 ? due.length : later;
    yield* due.slice(0, numDue);
    due = due.slice(numDue).concat(sessionLines(options, tenants, index, start));
    due.sort((one, other) => one.t - other.t);
  }
  yield* due;
}

/** Lines have no finer times. */
function inMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function sessionLines(
  options: TrafficOptions,
  tenants: Tenants,
  index: number,
  start: number,
): readonly GeneratedLine[] {
  const session = new SessionLines(options, tenants.of(index), rootOf(tenants, index), start);
  new MainAgent(session, new SubAgents(session, strangerTo(tenants, index))).live();
  return session.inOrder();
}

function rootOf(tenants: Tenants, index: number): string {
  return `${tenants.of(index)}-s${String(index)}`;
}

/** The main agent of the latest session that is of another tenant. */
function strangerTo(tenants: Tenants, index: number): string | null {
  for (let other = index - 1; other >= Math.max(0, index - STRANGERS); other -= 1)
    if (tenants.of(other) !== tenants.of(index)) return rootOf(tenants, other);
  return null;
}
