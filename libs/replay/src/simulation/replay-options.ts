import type { TimeModel } from '@roost/engine-simulated';

/** What the replayed fleet is, how fast it is, and how sessions come in. */
export interface ReplayOptions extends Omit<TimeModel, 'speedUp'> {
  /** Context instances. */
  readonly instances: number;
  readonly ranksPerInstance: number;
  /** KV cache of one rank, in tokens; Infinity: nothing is ever evicted. */
  readonly capacityTokens: number;
  /** Generation instances; they are never too busy. */
  readonly generationInstances: number;
  readonly generationRanksPerInstance: number;
  /** KV cache of one of their ranks, in tokens. */
  readonly generationCapacityTokens: number;
  /** Requests that one rank works on in one iteration. */
  readonly maxBatchSize: number;
  /** Tokens that one rank computes in one iteration. */
  readonly maxNumTokens: number;
  readonly kvBytesPerToken: number;
  /** Mean time between the starts of two sessions, in milliseconds; they start as a Poisson process. */
  readonly sessionInterval: number;
  /** What recorded pauses - of users, of tools, before a sub-agent is spawned - are multiplied by. */
  readonly thinkScale: number;
  /** Requests come at their recorded times, whatever answers take; else each waits for what it follows. */
  readonly openLoop: boolean;
  /**
   * How long after its last use an oracle may reuse a block, in milliseconds; Infinity: for ever. One at least; the first is
   * shown where there is room for one.
   */
  readonly oracleHorizons: readonly number[];
  /** Of the session starts, the only thing left to chance. */
  readonly seed: number;
}

/** A fleet of four instances of four ranks, with the time model of Roost's embedded engine, and cache enough for everything. */
export const DEFAULT_REPLAY_OPTIONS: ReplayOptions = {
  instances: 4,
  ranksPerInstance: 4,
  capacityTokens: Infinity,
  generationInstances: 4,
  generationRanksPerInstance: 4,
  generationCapacityTokens: Infinity,
  maxBatchSize: 16,
  maxNumTokens: 8192,
  prefillTokensPerSecond: 8000,
  decodeStepMs: 15,
  kvBandwidthBytesPerSecond: 25e9,
  kvBytesPerToken: 65_536,
  sessionInterval: 60_000,
  thinkScale: 1,
  openLoop: false,
  oracleHorizons: [Infinity, 3_600_000, 300_000],
  seed: 1,
};

const WHOLE = [
  'instances',
  'ranksPerInstance',
  'generationInstances',
  'generationRanksPerInstance',
  'maxBatchSize',
  'maxNumTokens',
  'kvBytesPerToken',
] as const;
const POSITIVE = [
  'capacityTokens',
  'generationCapacityTokens',
  'prefillTokensPerSecond',
  'kvBandwidthBytesPerSecond',
] as const;
const AT_LEAST_0 = ['decodeStepMs', 'sessionInterval', 'thinkScale'] as const;

/** An option is out of its range, or does not go with the trace; the message names it. */
export class ReplayOptionError extends RangeError {
  override readonly name = 'ReplayOptionError';

  constructor(
    readonly option: keyof ReplayOptions,
    must: string,
    value: unknown,
  ) {
    super(`${option} must be ${must}, not ${String(value)}`);
  }
}

/** @throws ReplayOptionError that names the option at fault */
export function checkReplayOptions(options: ReplayOptions): void {
  const refuse = (name: keyof ReplayOptions, must: string): never => {
    throw new ReplayOptionError(name, must, options[name]);
  };
  for (const name of WHOLE) if (!isWhole(options[name])) refuse(name, 'a whole number of at least 1');
  for (const name of POSITIVE) if (!(options[name] > 0)) refuse(name, 'greater than 0');
  for (const name of AT_LEAST_0)
    if (!(options[name] >= 0 && options[name] < Infinity)) refuse(name, 'a number of at least 0');
  if (!areHorizons(options.oracleHorizons)) refuse('oracleHorizons', 'one or more times greater than 0');
  if (!Number.isSafeInteger(options.seed)) refuse('seed', 'a whole number');
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function areHorizons(horizons: readonly number[]): boolean {
  return horizons.length > 0 && horizons.every((horizon) => horizon > 0);
}
