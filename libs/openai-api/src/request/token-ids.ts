import { invalid } from './refusal.js';

const MAX_TOKEN_ID = 0xffff_ffff;

/**
 * A list of token ids.
 *
 * @throws RoostError `invalid_request` when one of them is not an integer in [0, 2^32)
 */
export function readTokenIds(ids: readonly unknown[], field: string): number[] {
  ids.forEach((id, index) => {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id > MAX_TOKEN_ID) {
      const place = `${field}[${String(index)}]`;
      throw invalid(place, `${place} must be a token id`);
    }
  });
  return ids as number[];
}
