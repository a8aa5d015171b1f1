// Pins as the reference's own recipe gives them (2.3), computed by another BLAKE3.
import { describe, expect, it } from '@jest/globals';

import { contentPin } from './content-pin.js';

const pin = (pinText: string | null | undefined, promptTokenIds: ArrayLike<number> | null = null): string | null =>
  contentPin({
    promptTokenIds,
    ...(pinText === undefined ? {} : { pinText }),
  });

const ids = Array.from({ length: 300 }, (_, at) => 1000 + at);

describe('contentPin', () => {
  it.each([
    ['You are helpful.Hi', null, '2833586241297836341'],
    ['é😀', null, '1871416563085890041'],
    ['', null, '7117595689811800901'],
    ['', [], '7117595689811800901'],
    ['ab', ids, '8897448922250385191'],
    ['ab', Uint32Array.from(ids.slice(0, 256)), '8897448922250385191'],
    ['x'.repeat(5000) + 'y'.repeat(5000), [7], '17065684518454553141'],
  ])('of %j and the ids %j', (text, promptTokenIds, expected) => {
    expect(pin(text, promptTokenIds)).toBe(expected);
  });

  it('tells conversations apart by text and by ids', () => {
    expect(new Set([pin('a'), pin('b'), pin('a', [1]), pin('a', [2])]).size).toBe(4);
  });

  it.each([null, undefined])('is absent where there are no messages (%s)', (text) => {
    expect(pin(text, ids)).toBeNull();
  });
});
