import type { TimeModel } from './core/time-model.js';

/** What is simulated. */
export interface SimulatedEngineOptions extends TimeModel {
  /** The name that clients ask for. */
  readonly model: string;
  readonly numRanks: number;
  /** Requests that one rank works on in one iteration. */
  readonly maxBatchSize: number;
  /** Tokens that one rank computes in one iteration. */
  readonly maxNumTokens: number;
  /** The longest prompt plus answer, in tokens. */
  readonly maxSeqLen: number;
  readonly tokensPerBlock: number;
  /** KV cache of one rank, in tokens; rounded down to whole blocks. */
  readonly capacityTokens: number;
  /** The longest answer when a request sets no limit, in tokens. */
  readonly defaultMaxTokens: number;
  /** Whether blocks outlive their request and are found by later ones. */
  readonly blockReuse: boolean;
  /** Size of a token's KV cache on the wire; a multiple of 4. */
  readonly kvBytesPerToken: number;
}

const INTEGERS = [
  'numRanks',
  'maxBatchSize',
  'maxNumTokens',
  'maxSeqLen',
  'tokensPerBlock',
  'capacityTokens',
  'defaultMaxTokens',
  'kvBytesPerToken',
] as const;

const RATES = ['prefillTokensPerSecond', 'kvBandwidthBytesPerSecond', 'speedUp'] as const;

/** @throws RangeError that names the option at fault and its value */
export function checkOptions(options: SimulatedEngineOptions): void {
  const refuse = (name: keyof SimulatedEngineOptions, must: string): never => {
    throw new RangeError(`${name} must be ${must}, got ${String(options[name])}`);
  };
  for (const name of INTEGERS) {
    if (!Number.isSafeInteger(options[name]) || options[name] < 1) {
      refuse(name, 'a positive integer');
    }
  }
  for (const name of RATES) {
    if (!(options[name] > 0)) refuse(name, 'greater than 0');
  }
  if (!(options.decodeStepMs >= 0)) refuse('decodeStepMs', '0 or more');
  if (options.kvBytesPerToken % 4 !== 0) {
    refuse('kvBytesPerToken', 'a multiple of 4');
  }
  if (options.capacityTokens < options.tokensPerBlock) {
    refuse('capacityTokens', 'at least one block');
  }
}
