import { isDeepStrictEqual } from 'node:util';

import type { Mismatch } from './vector-format.js';

/** The mismatch between what a vector says and what came out; none when they are the same, member order aside. */
export function compare(at: string, expected: unknown, got: unknown): readonly Mismatch[] {
  return isDeepStrictEqual(expected, got) ? [] : [{ at, expected, got }];
}
