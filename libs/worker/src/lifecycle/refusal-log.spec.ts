import { describe, expect, it } from '@jest/globals';

import { RefusalLog } from './refusal-log.js';

describe('RefusalLog', () => {
  it('says the first refusal at once, and how many there were since, later', () => {
    let now = 0;
    const lines: object[] = [];
    const log = new RefusalLog(
      (fields) => lines.push(fields),
      () => now,
    );
    const refusal = { proof: 'affinity', reason: 'mismatch' } as unknown as Parameters<RefusalLog['note']>[0];
    for (let call = 0; call < 5; call += 1) log.note(refusal);
    now = 10_000;
    log.note(refusal);
    expect(lines).toMatchObject([{ calls: 1 }, { calls: 5 }]);
  });
});
