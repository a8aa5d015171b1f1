import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { FIRST_DISAGG_REQUEST_ID, packRequestId, RequestIdIssuer } from './request-id.js';

describe('packRequestId', () => {
  it('gives the id that the reference computed', () => {
    expect(
      packRequestId({
        timestampMs: 123_456_789n,
        nodeId: 7,
        processId: 3,
        counter: 5,
      }),
    ).toBe(2_072_360_727_809_029n);
  });

  it('stays within [2^40, 2^63 - 1) and keeps node, process and counter apart', () =>
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
        fc.integer({ min: 0, max: 255 }),
        fc.integer({ min: 0, max: 63 }),
        fc.integer({ min: 0, max: 1023 }),
        (timestampMs, nodeId, processId, counter) => {
          const id = packRequestId({ timestampMs, nodeId, processId, counter });
          expect(id >= FIRST_DISAGG_REQUEST_ID && id < (1n << 63n) - 1n).toBe(true);
        },
      ),
    ));
});

describe('RequestIdIssuer', () => {
  it('gives 1024 different ids within one millisecond', () => {
    const issuer = new RequestIdIssuer(1, 2, () => 5n);
    expect(new Set(Array.from({ length: 1024 }, () => issuer.next())).size).toBe(1024);
  });

  it('says what is out of range', () => {
    expect(() => new RequestIdIssuer(256, 0)).toThrow('node_id must be in range [0, 256), got 256');
    expect(() => new RequestIdIssuer(0, 64)).toThrow('process_id must be in range [0, 64), got 64');
  });
});
