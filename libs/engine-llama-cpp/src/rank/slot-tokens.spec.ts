// Owns that a sequence's tokens and the rank's blocks are what a plain list of tokens would make them.
import { describe, expect, it } from '@jest/globals';
import { blockHashes } from '@roost/block-cache';
import fc from 'fast-check';

import { BlockCensus } from './block-census.js';
import { SlotTokens } from './slot-tokens.js';

const BLOCK = 4;

type Change =
  | { readonly kind: 'append'; readonly more: readonly number[] }
  | { readonly kind: 'truncate'; readonly length: number }
  | { readonly kind: 'reset'; readonly salt: string | undefined };

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), more: fc.array(fc.nat(2), { maxLength: 90 }) }),
  fc.record({ kind: fc.constant('truncate' as const), length: fc.nat(100) }),
  fc.record({ kind: fc.constant('reset' as const), salt: fc.constantFrom(undefined, 'x') }),
);

describe('SlotTokens and BlockCensus', () => {
  it('agree with lists of tokens after any changes', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), change), { maxLength: 40 }), fc.array(fc.nat(2)), (changes, probe) => {
        const mirror = new Set<bigint>();
        const census = new BlockCensus(({ type, hash }) => {
          expect(mirror.has(hash)).toBe(type === 'removed');
          if (type === 'stored') mirror.add(hash);
          else mirror.delete(hash);
        });
        const slots = [0, 1, 2].map(() => ({
          real: new SlotTokens(BLOCK, census),
          model: { tokens: [] as number[], salt: undefined as string | undefined },
        }));
        for (const [index, step] of changes) {
          const slot = slots[index];
          if (slot === undefined) continue;
          apply(slot.real, step);
          slot.model = applied(slot.model, step);
        }
        const held = slots.flatMap(({ model }) => blockHashes(Uint32Array.from(model.tokens), BLOCK, model.salt));
        expect(mirror).toEqual(new Set(held));
        expect(new Set(census.hashes)).toEqual(mirror);
        for (const { real, model } of slots) {
          expect(real.length).toBe(model.tokens.length);
          const differs = probe.findIndex((token, at) => token !== model.tokens[at]);
          const common = differs < 0 ? probe.length : differs;
          expect(real.commonPrefix(Uint32Array.from(probe), model.salt)).toBe(common);
          expect(real.commonPrefix(Uint32Array.from(probe), 'another salt')).toBe(0);
        }
      }),
    ));
});

function apply(slot: SlotTokens, step: Change): void {
  if (step.kind === 'append') slot.append(step.more);
  else if (step.kind === 'truncate') slot.truncate(step.length);
  else slot.reset(step.salt);
}

function applied(
  { tokens, salt }: { tokens: number[]; salt: string | undefined },
  step: Change,
): { tokens: number[]; salt: string | undefined } {
  if (step.kind === 'append') return { tokens: [...tokens, ...step.more], salt };
  if (step.kind === 'truncate') return { tokens: tokens.slice(0, step.length), salt };
  return { tokens: [], salt: step.salt };
}
