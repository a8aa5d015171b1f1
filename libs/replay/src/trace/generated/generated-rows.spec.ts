import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { generateLines, generateTrace } from '../../generator/generate-trace.js';
import { generatedLine, generatedTraceOf } from '../../testing/generated-line.js';
import { Fields } from '../fields.js';
import { NO_BLOCKS, promptBlocks } from '../prompt-blocks.js';
import { TraceReader } from '../trace-reader.js';
import { parentConversationOf, type Trace, type TraceAgent } from '../trace.js';

import type { GeneratedLine, PrefixPart } from './generated-line.js';
import { GeneratedRows } from './generated-rows.js';

/** Owns: what our generator's format means - blocks, waits, families - and which lines are refused. */

async function read(lines: readonly object[]): Promise<Trace> {
  const reader = new TraceReader();
  await reader.read(
    (async function* () {
      await Promise.resolve();
      for (const line of lines) yield JSON.stringify(line);
    })(),
  );
  return reader.finish();
}

function promptsOf({ requests }: TraceAgent): Uint32Array[] {
  let blocks = NO_BLOCKS;
  return requests.map((request) => (blocks = promptBlocks(blocks, request)));
}

/** The tokens of a prompt, each told apart from all others. */
function tokensOf(parts: readonly PrefixPart[]): string[] {
  return parts.flatMap(({ ns, len }) => Array.from({ length: len }, (_, at) => `${ns} ${String(at)}`));
}

describe('the format of the generator', () => {
  it('is read as it was meant, whatever was generated', async () => {
    const anyOptions = fc.record({
      sessions: fc.integer({ min: 1, max: 4 }),
      seed: fc.integer(),
      faults: fc.constantFrom(0, 0.5),
      subagentShare: fc.constantFrom(0.3, 1),
      scale: fc.constantFrom(1, 16),
    });
    await fc.assert(
      fc.asyncProperty(anyOptions, async (options) => {
        expect(await read([...generateLines(options)])).toEqual(generateTrace(options));
      }),
      { numRuns: 10 },
    );
  });

  it('has prompts share exactly the blocks up to whose end all tokens are the same', () => {
    const anyPart = fc.record({ ns: fc.constantFrom('a', 'b', 'c'), len: fc.integer({ min: 1, max: 150 }) });
    const anyPrompt = fc.array(anyPart, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyPrompt, anyPrompt, (one, other) => {
        const { sessions } = generatedTraceOf(
          generatedLine({ prefix: one }),
          generatedLine({ id: 'x', root: 'x', agent: 'x', prefix: other }),
        );
        const [blocks = NO_BLOCKS, others = NO_BLOCKS] = sessions.flatMap(({ agents }) => agents.flatMap(promptsOf));
        const [tokens, otherTokens] = [tokensOf(one), tokensOf(other)];
        expect(blocks).toHaveLength(Math.floor(tokens.length / 64));
        for (const [at, block] of blocks.entries()) {
          const end = (at + 1) * 64;
          const isShared = end <= otherTokens.length && tokens.slice(0, end).join() === otherTokens.slice(0, end).join();
          expect(others[at] === block).toBe(isShared);
        }
      }),
    );
  });

  it('has models share nothing', () => {
    const { numBlocks } = generatedTraceOf(generatedLine({}), generatedLine({ id: 'x', model: 'other' }));
    expect(numBlocks).toBe(2);
  });

  it('names the earlier requests that one waits for, and sets side requests apart', () => {
    const { sessions } = generatedTraceOf(
      generatedLine({ t: 5 }),
      generatedLine({ id: 'x', t: 7, kind: 'side', wait_for: ['s#0'], trigger: 'stream', delay_s: 2 }),
    );
    expect(sessions[0]).toMatchObject({ id: 's', recordedStart: 5000, dialect: 'A' });
    const [first, side] = sessions[0]?.agents[0]?.requests ?? [];
    expect(first?.wait).toEqual({ for: [], until: 'answered', delay: 0 });
    expect(side?.wait).toEqual({ for: [{ agent: 's', index: 0 }], until: 'streaming', delay: 2000 });
    expect(side).toMatchObject({ isSide: true, recordedAt: 2000, trigger: 'tool' });
  });

  it('keeps what an agent says of its parent apart from who that is, where it is not so', () => {
    const sub = (agent: string, parent: string | null, fields: Partial<GeneratedLine> = {}): GeneratedLine =>
      generatedLine({ id: agent, agent, parent, kind: 'spawn', wait_for: ['s#0'], trigger: 'spawn', ...fields });
    const trace = generatedTraceOf(
      generatedLine({ id: 'x', root: 'x', agent: 'x' }),
      sub('early', 's', { wait_for: [] }),
      generatedLine({}),
      sub('right', 's'),
      sub('none', null),
      sub('unknown', 'gone'),
      sub('stranger', 'x'),
      sub('itself', 'itself'),
      sub('one', 'two'),
      sub('two', 'one'),
      sub('twice', 's', { fault: 'duplicate_header' }),
    );
    const session = trace.sessions.find(({ id }) => id === 's');
    if (session === undefined) throw new Error('there is a session');
    const told = session.agents.map((agent) => [agent.id, agent.parent?.id, parentConversationOf(session, agent)]);
    expect(told).toEqual([
      ['early', 's', 's/s'],
      ['s', undefined, null],
      ['right', 's', 's/s'],
      ['none', 's', null],
      ['unknown', 's', 'gone'],
      ['stranger', 's', 'x/x'],
      ['itself', 's', 's/itself'],
      ['one', 'two', 's/two'],
      ['two', 's', 's/one'],
      ['twice', 's', 's/s'],
    ]);
    expect(session.agents.filter(({ hasDoubleHeaders }) => hasDoubleHeaders === true).map(({ id }) => id)).toEqual(['twice']);
  });

  it.each<[object, string]>([
    [{ in: 63 }, 'line 2: prefix has 64 tokens, where in is 63'],
    [{ in: 1e9 }, 'line 2: in must be a whole number from 1 to 16777216'],
    [{ prefix: [{ ns: 'a', len: 0 }] }, 'line 2: prefix must be a list of {ns, len}'],
    [{ prefix: [{ ns: '', len: 1 }] }, 'line 2: prefix must be a list of {ns, len}'],
    [{ prefix: [null] }, 'line 2: prefix must be a list of {ns, len}'],
    [{ prefix: Array.from({ length: 5000 }, () => ({ ns: 'a', len: 1 })) }, 'at most 4096 of them'],
    [{ id: 'x'.repeat(1025) }, 'line 2: id must be a text of at most 1024 characters'],
    [{ id: 's#0' }, 'line 2: id s#0 is that of an earlier line'],
    [{ wait_for: ['later'] }, "line 2: wait_for names later, which is no earlier line's id"],
    [{ root: 'other', wait_for: ['s#0'] }, 'line 2: wait_for names s#0, which is of another root'],
    [{ wait_for: [3] }, 'line 2: wait_for must be a list of ids'],
    [{ t: 4 }, 'line 2: t is less than that of an earlier line of s'],
    [{ kind: 'task' }, 'line 2: kind must be one of main, spawn, fork, side, compact'],
    [{ trigger: 'timer' }, 'line 2: trigger must be one of user, tool, spawn, stream'],
    [{ dialect: 'D' }, 'line 2: dialect must be one of A, B, C, none'],
    [{ fault: 'worse' }, 'line 2: fault must be one of'],
    [{ delay_s: -1 }, 'line 2: delay_s must be a number of at least 0'],
    [{ agent: 7 }, 'line 2: agent must be a text'],
  ])('refuses %j', async (fields, message) => {
    const line = { ...generatedLine({ id: 'x', t: 5 }), ...fields };
    await expect(read([generatedLine({ t: 5 }), line])).rejects.toThrow(message);
  });

  it('refuses more blocks than there is room for', () => {
    const rows = new GeneratedRows(10);
    const take = (id: string, ns: string): void => {
      const line = generatedLine({ id, prefix: [{ ns, len: 64 * 6 }] });
      rows.read(new Fields(JSON.stringify(line), 7));
    };
    take('a', 'one');
    take('b', 'one');
    expect(() => {
      take('c', 'two');
    }).toThrow('line 7: prefix: the trace has more than 10 blocks up to here');
  });
});
