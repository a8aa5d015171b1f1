import { expect, test } from '@jest/globals';

import { showValue } from './show-value.js';

test.each([
  [548424870944926123n, '548424870944926123'],
  [{ a: [1, 'x', null, 2n ** 63n] }, '{"a":[1,"x",null,9223372036854775808]}'],
  [undefined, 'nothing'],
  [true, 'true'],
])('%p', (value, shown) => {
  expect(showValue(value)).toBe(shown);
});
