import { describe, expect, it } from '@jest/globals';

import { encodeOpaqueState, makeOpaqueState, parseOpaqueState } from './opaque-state.js';

describe('the opaque state', () => {
  it('is read back as it was made, with all 63 bits of its id', () => {
    const state = makeOpaqueState((1n << 63n) - 2n);
    expect(parseOpaqueState(encodeOpaqueState(state))).toEqual(state);
  });

  it('is nothing else', () => expect(parseOpaqueState('AAAA')).toBeNull());
});
