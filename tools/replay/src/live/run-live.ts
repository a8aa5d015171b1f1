import { mainReuse, type ReplayOptions, type Trace } from '@roost/replay';
import Table from 'cli-table3';

import { CLASS_NAMES, CLASSES, secondsOf, shareOf } from '../figures.js';
import { ReplayFailure } from '../replay-failure.js';

import type { LiveOptions } from './live-options.js';
import { LiveReplay } from './live-replay.js';
import type { LiveReport } from './live-report.js';

/**
 * Replays a trace on a running cluster.
 *
 * @throws ReplayFailure when nothing answers there, or it serves no model
 */
export async function runLive(trace: Trace, live: LiveOptions, options: ReplayOptions): Promise<LiveReport> {
  const model = live.model ?? (await firstModel(live.url));
  // Two replays with the same ids would find each other's bindings.
  const name = `replay-${Date.now().toString(36)}`;
  return await new LiveReplay(trace, model, live, options, name).run();
}

async function firstModel(url: URL): Promise<string> {
  try {
    const response = await fetch(new URL('/v1/models', url), { redirect: 'error' });
    const { data } = (await response.json()) as { readonly data?: readonly { readonly id: string }[] };
    const [first] = data ?? [];
    if (first !== undefined) return first.id;
  } catch (error) {
    throw new ReplayFailure(`${url.href}: no list of models: ${(error as Error).message}`, { cause: error });
  }
  throw new ReplayFailure(`${url.href}: no model is served there`);
}

/** The report for a terminal. */
export function renderLive({ classes, sent, failed, wallTime, model }: LiveReport): string {
  const table = new Table({
    head: [
      'class',
      'answered',
      'prompt tokens',
      'cached',
      '% of the oracle',
      '(instant)',
      'first token, s: mean / p50 / p95',
    ],
    style: { head: [], border: [], compact: true },
  });
  for (const name of CLASSES) {
    const { requests, inputTokens, cachedTokens, timeToFirstToken } = classes[name];
    table.push([
      CLASS_NAMES[name].short,
      String(requests),
      String(inputTokens),
      String(cachedTokens),
      shareOf(mainReuse(classes[name])),
      shareOf(mainReuse(classes[name], 'instant')),
      secondsOf(timeToFirstToken, ['mean', 'p50', 'p95'], 3),
    ]);
  }
  const failures = Object.entries(failed).map(([what, count]) => `${String(count)} failed: ${what}`);
  const sum = `${String(sent)} requests sent to ${model} in ${(wallTime / 1000).toFixed(1)} s`;
  return [sum, table.toString(), ...failures].join('\n');
}
