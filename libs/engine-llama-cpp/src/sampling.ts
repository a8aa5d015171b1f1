import { randomInt } from 'node:crypto';

import type { Sampling } from '@roost/engine';

import type { NextTokenOptions } from './runtime/node-llama-cpp.js';

/** How the tokens of one answer are chosen. */
export interface Sampler {
  /** For the token at this place of the answer, from 0. */
  readonly optionsAt: (index: number) => NextTokenOptions;
  /** Whether a token that ends an answer is one like any other. */
  readonly ignoresEnds: boolean;
}

/**
 * How a request's answer is chosen: temperature 1 and top_p 1 unless it says otherwise. The choice of a token depends on
 * the seed and on the token's place in the answer alone, so that an answer that is continued elsewhere goes on as it would
 * have gone on here. A seed that is not given is drawn.
 */
export function samplerOf({ temperature, topP, seed, ignoreEos }: Sampling): Sampler {
  const start = Number(BigInt.asUintN(32, seed ?? BigInt(randomInt(2 ** 32))));
  const optionsAt = (index: number): NextTokenOptions => ({
    temperature: temperature ?? 1,
    topP: topP ?? 1,
    topK: 0,
    minP: 0,
    seed: mix(start, index),
  });
  return { optionsAt, ignoresEnds: ignoreEos };
}

/** Seeds of neighbouring tokens have nothing in common. */
function mix(seed: number, index: number): number {
  let mixed = (seed ^ Math.imul(index + 1, 0x9e3779b9)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
