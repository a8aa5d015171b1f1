// Owns that the tiny model is the same file on every machine.
import { createHash } from 'node:crypto';

import { expect, it } from '@jest/globals';

import { tinyModel } from './tiny-model.js';

it('has the same bytes everywhere', () => {
  expect(createHash('sha256').update(tinyModel()).digest('hex')).toBe(
    '15a1745a6c37c4fd6b7af6ea499092297482e5c8e65babff207a38b2dd855260',
  );
});
