// The trie against a scan over all sessions, with sessions that come and go and servers that are not usable.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { Server } from '../pool/server-pool.js';

import { chainBlocks } from './block-chain.js';
import { type ImplicitSession, PrefixIndex } from './prefix-index.js';

const servers = ['a', 'b', 'c'].map((name) => new Server(name));
const chainOf = (ids: readonly number[]): Float64Array => chainBlocks([...ids, 0], 0, 1);
const ids = fc.array(fc.nat({ max: 1 }), { maxLength: 6 });

describe('PrefixIndex', () => {
  it('finds the depth that a scan finds, on a session that has it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ ids, server: fc.constantFrom(...servers), stays: fc.boolean() })),
        ids,
        fc.subarray(servers),
        (entries, wanted, usable) => {
          const index = new PrefixIndex();
          const sessions = entries.map(({ ids: own, server, stays }, at) => ({
            session: { key: String(at), server, chain: chainOf(own) },
            stays,
          }));
          for (const { session } of sessions) index.add(session);
          for (const { session, stays } of sessions) if (!stays) index.remove(session);
          const chain = chainOf(wanted);
          const depth = ({ chain: own }: ImplicitSession): number => {
            let blocks = 0;
            while (blocks < chain.length && chain[blocks] === own[blocks]) blocks++;
            return blocks;
          };
          const candidates = sessions
            .filter(({ session, stays }) => stays && usable.includes(session.server))
            .map(({ session }) => session);
          const found = index.longestMatch(chain, (server) => usable.includes(server));
          const deepest = Math.max(0, ...candidates.map(depth));
          expect(found?.blocks ?? 0).toBe(deepest);
          const valid: (ImplicitSession | undefined)[] =
            deepest === 0 ? [undefined] : candidates.filter((session) => depth(session) === deepest);
          expect(valid).toContain(found?.session);
        },
      ),
    );
  });

  it('leaves nothing of sessions that were taken out', () => {
    const index = new PrefixIndex();
    const sessions = servers.flatMap((server) =>
      [[1], [1, 2], [1, 2, 3], [4]].map((own) => ({ key: '', server, chain: chainOf(own) })),
    );
    for (const session of sessions) index.add(session);
    expect(index.nodes).toBe(4);
    for (const session of sessions) index.remove(session);
    expect(index.nodes).toBe(0);
  });
});
