import { describe, expect, it } from '@jest/globals';

import { row, traceOf } from '../testing/small-trace.js';
import type { TraceAgent, TraceSession } from '../trace/trace.js';

import { Oracles } from './oracles.js';

/** Owns: what each clock, scope and horizon knows, on a trace that can be followed by hand. */

const B = 64;
const HORIZONS = [Infinity, 300, 100];
const { sessions } = traceOf(
  row({ session: 'one', agent: 'main' }),
  row({ session: 'one', agent: 'sub', parent: 'main' }),
  row({ session: 'two', agent: 'main' }),
);
const [one, two] = sessions as [TraceSession, TraceSession];
const [main, sub] = one.agents as [TraceAgent, TraceAgent];
const [other] = two.agents as [TraceAgent];

/** Of one more token than the blocks have. */
const request = (session: TraceSession, agent: TraceAgent, ...blocks: number[]): Parameters<Oracles['arrive']>[0] => ({
  session,
  agent,
  blocks: Uint32Array.from(blocks),
  inputTokens: blocks.length * B + 1,
});

describe('Oracles', () => {
  it('knows by its scope the requests of all, of the session, or of the agent', () => {
    const oracles = new Oracles({ numBlocks: 20, tokensPerBlock: B }, [Infinity]);
    // Main has asked 1 2, another session 1 2 3, a sub-agent of main's 1 2 3 4.
    oracles.arrive(request(one, main, 1, 2), 0);
    oracles.arrive(request(two, other, 1, 2, 3), 0);
    oracles.arrive(request(one, sub, 1, 2, 3, 4), 0);
    const { instant } = oracles.arrive(request(one, main, 1, 2, 3, 4, 5), 10);
    expect(instant).toEqual({ global: [4 * B], tree: [4 * B], chain: [2 * B] });
    const ofOther = oracles.arrive(request(two, other, 1, 2, 3, 4, 5), 20);
    expect(ofOther.instant).toEqual({ global: [5 * B], tree: [3 * B], chain: [3 * B] });
  });

  it('knows by its clock what has arrived, or what is finished', () => {
    const oracles = new Oracles({ numBlocks: 20, tokensPerBlock: B }, [Infinity]);
    const first = request(one, main, 1, 2);
    oracles.arrive(first, 0);
    const during = oracles.arrive(request(one, sub, 1, 2, 3), 10);
    expect(during.instant).toEqual({ global: [2 * B], tree: [2 * B], chain: [0] });
    expect(during.causal).toEqual({ global: [0], tree: [0], chain: [0] });
    oracles.finish(first, 20);
    const after = oracles.arrive(request(one, main, 1, 2, 3), 30);
    expect(after.instant.global).toEqual([3 * B]);
    expect(after.causal).toEqual({ global: [2 * B], tree: [2 * B], chain: [2 * B] });
  });

  it('forgets by its horizon what was not used for longer, each clock by its own time', () => {
    const oracles = new Oracles({ numBlocks: 20, tokensPerBlock: B }, HORIZONS);
    const first = request(one, main, 1, 2, 3);
    oracles.arrive(first, 0);
    oracles.finish(first, 50);
    // Blocks 1 and 2 are used again at 200, by another session; block 3 is not.
    const again = request(two, other, 1, 2);
    oracles.arrive(again, 200);
    oracles.finish(again, 200);
    const { instant, causal } = oracles.arrive(request(one, main, 1, 2, 3), 300);
    expect(instant.global).toEqual([3 * B, 3 * B, 2 * B]);
    // Nobody of this session has used them since 0 and 50.
    expect(instant.tree).toEqual([3 * B, 3 * B, 0]);
    expect(causal.chain).toEqual([3 * B, 3 * B, 0]);
    const later = oracles.arrive(request(one, sub, 1, 2, 3), 340);
    expect(later.causal.tree).toEqual([3 * B, 3 * B, 0]);
    expect(later.causal.global).toEqual([3 * B, 3 * B, 0]);
    const muchLater = oracles.arrive(request(one, sub, 1, 2, 3), 1000);
    expect(muchLater.causal.global).toEqual([3 * B, 0, 0]);
  });

  it('leaves the last token to be computed', () => {
    const oracles = new Oracles({ numBlocks: 20, tokensPerBlock: B }, [Infinity]);
    const whole = { ...request(one, main, 1, 2), inputTokens: 2 * B };
    oracles.arrive(whole, 0);
    expect(oracles.arrive(whole, 1).instant.chain).toEqual([B]);
    expect(oracles.arrive({ ...whole, inputTokens: 2 * B + 1 }, 2).instant.chain).toEqual([2 * B]);
  });
});
