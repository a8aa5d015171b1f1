import type { JsonObject } from '../json/json-object.js';
import { writtenValue } from '../json/members.js';

import { invalid } from './refusal.js';

const MAX_UINT32 = 0xffff_ffff;
const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const MAX_STOPS = 4;

/** How the client wants tokens to be chosen, and when to stop. An absent field leaves it to the engine. */
export interface ClientSampling {
  /** Tokens of the answer, at least 1. */
  readonly maxTokens?: number;
  /** At most 4, none of them empty. */
  readonly stop: string[];
  /** 0..2 */
  readonly temperature?: number;
  /** Above 0, up to 1. */
  readonly topP?: number;
  /** 64-bit, signed. */
  readonly seed?: bigint;
  readonly ignoreEos: boolean;
}

/**
 * Reads the sampling fields of a request.
 *
 * @param text what `body` was parsed from: a number beyond 2^53 is exact only there
 * @throws RoostError `invalid_request` naming the field at fault
 */
export function readSampling(body: JsonObject, text: () => string): ClientSampling {
  const maxTokens = readMaxTokens(body);
  const temperature = readNumber(body, 'temperature', 'from 0 to 2', (value) => value >= 0 && value <= 2);
  const topP = readNumber(body, 'top_p', 'above 0 and up to 1', (value) => value > 0 && value <= 1);
  const seed = readSeed(body, text);
  return {
    stop: readStop(body['stop'] ?? []),
    ignoreEos: readBoolean(body, 'ignore_eos'),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(seed !== undefined && { seed }),
  };
}

/**
 * A boolean field; absent and null count as false.
 *
 * @throws RoostError `invalid_request` for another type
 */
export function readBoolean(body: JsonObject, field: string, path = field): boolean {
  const value = body[field] ?? false;
  if (typeof value !== 'boolean') throw invalid(path, `${path} must be a boolean`);
  return value;
}

function readMaxTokens(body: JsonObject): number | undefined {
  const isLimit = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= MAX_UINT32;
  const expected = 'that is an integer of at least 1';
  const current = readNumber(body, 'max_completion_tokens', expected, isLimit);
  const old = readNumber(body, 'max_tokens', expected, isLimit);
  if (current !== undefined && old !== undefined && current !== old) {
    throw invalid('max_tokens', 'max_tokens and max_completion_tokens must be equal when both are given');
  }
  return current ?? old;
}

function readNumber(
  body: JsonObject,
  field: string,
  expected: string,
  isExpected: (value: number) => boolean,
): number | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !isExpected(value)) throw invalid(field, `${field} must be a number ${expected}`);
  return value;
}

function readSeed(body: JsonObject, text: () => string): bigint | undefined {
  const value = body['seed'] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return BigInt(value);
    const written = writtenValue(text(), 'seed') ?? '';
    // Longer ones are out of range, and would take long to convert.
    const seed = /^-?\d{1,19}$/.test(written) ? BigInt(written) : null;
    if (seed !== null && seed >= INT64.min && seed <= INT64.max) return seed;
  }
  throw invalid('seed', 'seed must be a 64-bit integer');
}

function readStop(value: unknown): string[] {
  const stops: unknown = typeof value === 'string' ? [value] : value;
  const isListOfTexts = Array.isArray(stops) && stops.every((stop) => typeof stop === 'string' && stop !== '');
  if (!isListOfTexts || stops.length > MAX_STOPS) {
    throw invalid('stop', `stop must be a string or a list of up to ${String(MAX_STOPS)} strings, none of them empty`);
  }
  return stops as string[];
}
