// Pins as the reference's own recipe gives them (2.3), computed by another BLAKE3.
import { describe, expect, it } from '@jest/globals';

import { contentPin, contentPinOfBody } from './content-pin.js';

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

describe('contentPinOfBody', () => {
  const pinOf = (...contents: unknown[]): string | null =>
    contentPinOfBody({ messages: contents.map((content) => ({ role: 'user', content })) });
  const part = (text: string, more: object = {}): object => ({ type: 'text', text, ...more });

  it('is that of the first two contents, in parts or not', () => {
    expect(pinOf('You are helpful.', 'Hi', 'later')).toBe('2833586241297836341');
    expect(pinOf([part('You are '), part('helpful.', { cache_control: {} })], [part('Hi')])).toBe(
      '2833586241297836341',
    );
  });

  it.each([[null], [7], [[null, 7, {}]]])('takes content that is none for no text: %j', (content) => {
    expect(pinOf(content)).toBe(pin(''));
  });

  it('takes a part with anything in it, however deep', () => {
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    expect(pinOf([part('Hi', { deep })])).toBe(pin('Hi'));
  });
});
