/** What traffic to make up; the agent-traffic reference 3.1 says what the defaults are grounded in. */
export interface TrafficOptions {
  /** Main agents. */
  readonly sessions: number;
  /** The same seed and options give the same lines. */
  readonly seed: number;
  /** Mean seconds between the starts of two sessions, and how unsteady they are: the standard deviation over the mean. */
  readonly sessionInterval: number;
  readonly arrivalCv: number;
  /** Who the sessions are of: a tenth of them has seven tenths of the sessions. */
  readonly tenants: number;
  /** Share of sessions with sub-agents, and of sub-agents that are forks of their parent, from 0 to 1. */
  readonly subagentShare: number;
  readonly forkShare: number;
  /** Share of sub-agents whose identity is wrong, from 0 to 1. */
  readonly faults: number;
  /** What prompts and answers are divided by, for small models. */
  readonly scale: number;
  /** What users' and tools' pauses, and the sub-agents' jitter, are multiplied by. */
  readonly gapScale: number;
}

/** The traffic of the reference. */
export const DEFAULT_TRAFFIC: TrafficOptions = {
  sessions: 50,
  seed: 1,
  sessionInterval: 60,
  arrivalCv: 1,
  tenants: 20,
  subagentShare: 0.3,
  forkShare: 0.15,
  faults: 0,
  scale: 1,
  gapScale: 1,
};

/** The least and the most of each option. */
export const TRAFFIC_RANGES: Readonly<Record<keyof TrafficOptions, readonly [min: number, max: number]>> = {
  sessions: [1, 1_000_000],
  seed: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  sessionInterval: [0, 86_400],
  arrivalCv: [0.1, 20],
  tenants: [1, 10_000],
  subagentShare: [0, 1],
  forkShare: [0, 1],
  faults: [0, 1],
  scale: [1, 64],
  gapScale: [0, 100],
};

const WHOLE: readonly (keyof TrafficOptions)[] = ['sessions', 'seed', 'tenants'];

/** Throws a RangeError that names an option that is out of its range. */
export function checkTraffic(options: TrafficOptions): void {
  for (const name of Object.keys(TRAFFIC_RANGES) as (keyof TrafficOptions)[]) {
    const [[min, max], value] = [TRAFFIC_RANGES[name], options[name]];
    const isWhole = WHOLE.includes(name);
    if (value >= min && value <= max && (!isWhole || Number.isSafeInteger(value))) continue;
    const what = isWhole ? 'a whole number' : 'a number';
    throw new RangeError(`${name} must be ${what} from ${String(min)} to ${String(max)}, not ${String(value)}`);
  }
}
