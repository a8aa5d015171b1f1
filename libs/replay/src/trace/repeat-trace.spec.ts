import { describe, expect, it } from '@jest/globals';

import { row, traceOf } from '../testing/small-trace.js';

import { repeatTrace } from './repeat-trace.js';

/** Owns: that copies are like the original and share nothing with it. */

const TRACE = traceOf(row({ in: 128, new: [1, 2] }), row({ agent: 'sa00', parent: 'main', in: 64, new: [1] }));

describe('repeatTrace', () => {
  it('gives every copy sessions, families and blocks of its own', () => {
    const { sessions, ...sizes } = repeatTrace(TRACE, 3);
    expect(sizes).toMatchObject({ numBlocks: 6, numRequests: 6 });
    expect(sessions.map(({ id }) => id)).toEqual(['s', 's#2', 's#3']);
    for (const { agents } of sessions) expect(agents[1]?.parent).toBe(agents[0]);
    const added = sessions.map(({ agents }) => agents.map(({ requests }) => [...(requests[0]?.added ?? [])]));
    expect(added).toEqual([
      [[0, 1], [0]],
      [[2, 3], [2]],
      [[4, 5], [4]],
    ]);
  });

  it('leaves a trace alone that is repeated once', () => {
    expect(repeatTrace(TRACE, 1)).toEqual(TRACE);
  });

  it.each([0, 1.5, NaN])('refuses %p times', (times) => {
    expect(() => repeatTrace(TRACE, times)).toThrow(RangeError);
  });
});
