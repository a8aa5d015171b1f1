// What sessions without ids hold: the count of blocks, their order, and that nothing is left of the forgotten.
import { describe, expect, it } from '@jest/globals';

import { Server } from '../pool/server-pool.js';

import { chainBlocks } from './block-chain.js';
import { ImplicitSessions } from './implicit-sessions.js';

const server = new Server('a');
const chain = (...ids: number[]): Float64Array => chainBlocks([...ids, 0], 0, 1);
const any = (): boolean => true;

describe('ImplicitSessions', () => {
  it("replaces a session's blocks and counts them once", () => {
    const sessions = new ImplicitSessions(1);
    sessions.record('s', server, chain(1, 2, 3));
    sessions.record('s', server, chain(1, 2));
    expect(sessions.blocks).toBe(2);
    expect(sessions.match(chain(1, 2, 3), any)).toBeNull();
    expect(sessions.match(chain(1, 2), any)?.key).toBe('s');
  });

  it('lists sessions from the one recorded longest ago', () => {
    const sessions = new ImplicitSessions(1);
    sessions.record('s', server, chain(1));
    sessions.record('t', server, chain(2));
    sessions.record('s', server, chain(1));
    expect([...sessions.keys()]).toEqual(['t', 's']);
  });

  it('forgets all of a session, and nothing of others', () => {
    const sessions = new ImplicitSessions(0);
    sessions.record('s', server, chain(1, 2));
    sessions.record('t', server, chain(1, 3));
    sessions.forget('s');
    sessions.forget('s');
    expect(sessions.blocks).toBe(2);
    expect(sessions.match(chain(1, 2), any)?.key).toBe('t');
    sessions.forget('t');
    expect(sessions.blocks).toBe(0);
    expect(sessions.match(chain(1), any)).toBeNull();
  });

  it('matches no content with no session', () => {
    const sessions = new ImplicitSessions(0);
    sessions.record('s', server, chain());
    expect(sessions.match(chain(), any)).toBeNull();
    expect(sessions.match(chain(1), any)).toBeNull();
  });
});
