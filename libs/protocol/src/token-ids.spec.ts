import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { decodeTokenIds, encodeTokenIds } from './token-ids.js';

describe('token ids on the wire', () => {
  it('arrive as they were sent, wherever they lie in a message', () =>
    fc.assert(
      fc.property(fc.uint32Array(), fc.nat({ max: 7 }), (tokens, offset) => {
        const message = Buffer.concat([Buffer.alloc(offset), encodeTokenIds(tokens)]);
        expect(decodeTokenIds(message.subarray(offset))).toEqual(tokens);
      }),
    ));

  it('are four bytes each', () => expect(() => decodeTokenIds(Buffer.alloc(5))).toThrow('got 5 bytes'));
});
