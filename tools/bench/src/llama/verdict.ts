import type { DemoResult } from '@roost/cli';

import { median } from '../machine/spread.js';

import type { FamilyRun } from './family-run.js';

/** The largest share of a sub-agent's time to first token elsewhere that it may take where its parent's cache is. */
const LARGEST_SHARE = 1 / 3;
/** What the sub-agent must find of its parent's prompt: all but the end of it. */
const LEAST_CACHED = 0.95;

/** What is wrong with one run, in words; empty when nothing is. */
export function faultsOf({ parent, withHeader, withoutHeader }: FamilyRun): readonly string[] {
  const [home, followed] = [placeOf(parent.result), placeOf(withHeader.result)];
  const least = LEAST_CACHED * (parent.result.prompt_tokens ?? NaN);
  return [
    ...(home === null ? ['the edge does not tell where the parent ran'] : []),
    ...(followed === home ? [] : [`the sub-agent ran on ${String(followed)}, its parent on ${String(home)}`]),
    ...((withHeader.result.cached_tokens ?? 0) >= least
      ? []
      : [`${String(withHeader.result.cached_tokens)} tokens were cached, of ${String(parent.result.prompt_tokens)}`]),
    ...(withHeader.text === withoutHeader.text && withHeader.text !== ''
      ? []
      : ['the answers with and without a cache differ']),
  ];
}

/** The times to first token of the runs' sub-agents, and whether the ones with the header are short enough. */
export function compareTimes(runs: readonly FamilyRun[]): {
  readonly withHeader: readonly number[];
  readonly withoutHeader: readonly number[];
  /** Median with the header, as a share of the median without. */
  readonly share: number;
  readonly isShort: boolean;
} {
  const withHeader = runs.map((run) => run.withHeader.result.ttft_ms ?? NaN);
  const withoutHeader = runs.map((run) => run.withoutHeader.result.ttft_ms ?? NaN);
  const share = median(withHeader) / median(withoutHeader);
  return { withHeader, withoutHeader, share, isShort: share <= LARGEST_SHARE };
}

/** Where a request's prompt was computed; null when the edge did not tell. */
export function placeOf({ context_instance: instance, context_rank: rank }: DemoResult): string | null {
  return instance === null || rank === null ? null : `${instance}#${String(rank)}`;
}
