import { describe, expect, it } from '@jest/globals';
import { DEFAULT_REPLAY_OPTIONS, generateTrace, POLICIES, replayTrace } from '@roost/replay';

import { renderLive } from './run-live.js';

/** Owns: that the table of a live replay says what was measured. */

describe('renderLive', () => {
  it('has a row for each class under the names of its figures, and tells of failures', () => {
    const [policy] = POLICIES;
    if (policy === undefined) throw new Error('there are policies');
    const { classes } = replayTrace(generateTrace({ sessions: 2, seed: 1 }), policy, DEFAULT_REPLAY_OPTIONS);
    const report = { model: 'm', classes, sent: 9, failed: { 'status 503: busy': 2 }, wallTime: 1500 };
    const rows = renderLive(report)
      .split('\n')
      .filter((line) => line.startsWith('│'))
      .map((line) =>
        line
          .split('│')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    const figures = (name: string): Record<string, string | undefined> => {
      const row = rows.find(([first]) => first === name) ?? [];
      return Object.fromEntries((rows[0] ?? []).map((head, at) => [head, row[at]]));
    };
    const { requests, inputTokens, cachedTokens, timeToFirstToken } = classes.total;
    expect(figures('total')).toMatchObject({
      answered: String(requests),
      'prompt tokens': String(inputTokens),
      cached: String(cachedTokens),
      'first token, s: mean / p50 / p95': [timeToFirstToken?.mean, timeToFirstToken?.p50, timeToFirstToken?.p95]
        .map((ms = 0) => (ms / 1000).toFixed(3))
        .join(' / '),
    });
    expect(figures('main, tool')['answered']).toBe(String(classes.mainTool.requests));
    expect(renderLive(report)).toContain('9 requests sent to m in 1.5 s');
    expect(renderLive(report)).toContain('2 failed: status 503: busy');
  });
});
