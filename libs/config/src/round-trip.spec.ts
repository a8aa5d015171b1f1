import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';

import { isMapping, type Mapping } from './mapping.js';
import { parseWorkerConfig } from './parse-worker-config.js';
import { WorkerConfig } from './schema/worker-config.js';
import { Secret } from './secret.js';
import { byKind, type ByKind, settingsOf, type SettingsClass } from './settings/setting.js';

// Any nesting of known keys with values in range is accepted, and every value is where it was written.

const text = fc.stringMatching(/^[a-z][a-z0-9-]{0,9}$/);

const VALUES: ByKind<fc.Arbitrary<unknown>> = {
  integer: ({ min, max }) => fc.integer({ min: Math.max(min, 0), max: Math.min(max, 2 ** 31) }),
  number: ({ min, max, open }) => fc.double({ min, max: Math.min(max, 1e9), minExcluded: open, noNaN: true }),
  boolean: () => fc.boolean(),
  string: () => text.filter((each) => !['yes', 'no', 'on', 'off', 'y', 'n', 'true', 'false', 'null'].includes(each)),
  choice: ({ values }) => fc.constantFrom(...values),
  list: () => fc.array(text, { minLength: 1 }),
  secret: () => text.filter((each) => each !== 'generate'),
  secrets: () => fc.array(text),
  section: ({ of }) => someOf(of()),
  free: () => fc.dictionary(text, fc.oneof(fc.integer(), fc.boolean())),
};

function someOf(owner: SettingsClass): fc.Arbitrary<Mapping> {
  const shape = settingsOf(owner).map(({ name, type }) => [name, byKind(type, VALUES)] as const);
  return fc.record(Object.fromEntries(shape), { requiredKeys: [] });
}

/** What was read, as far as it was written, with secrets shown. */
function readOf(written: unknown, read: unknown): unknown {
  if (read instanceof Secret) return read.reveal();
  if (Array.isArray(read)) return read.map((each) => readOf(null, each));
  if (!isMapping(written)) return read;
  return Object.fromEntries(Object.keys(written).map((key) => [key, readOf(written[key], (read as Mapping)[key])]));
}

describe('known keys', () => {
  // Two of them depend on others: the role has two names, and a cache holds at least one block.
  const files = someOf(WorkerConfig).map((file) => {
    const cache = { ...(file['kv_cache_config'] as Mapping | undefined), max_tokens: 2 ** 31 };
    return Object.fromEntries(
      Object.entries({ ...file, kv_cache_config: cache }).filter(([name]) => name !== 'server_role'),
    );
  });

  it('round-trip in any nesting', () => {
    fc.assert(
      fc.property(files, (file) => {
        const { config } = parseWorkerConfig(stringify(file, { version: '1.1' }));
        expect(readOf(file, config)).toEqual(file);
      }),
      { numRuns: 300 },
    );
  });
});
