import { describe, expect, it } from '@jest/globals';

import { parseTraceRow } from './parse-trace-row.js';
import { TraceError } from './trace-error.js';

/** Owns: which lines are rows, and what is said of those that are not. */

const NEEDED = {
  session: 's',
  agent: 'sa00',
  seq: 1,
  t: 12.5,
  model: 'm',
  in: 64 * 6 + 1,
  out: 7,
  trigger: 'tool',
  keep: 2,
  new: [7, [9, 3]],
};
const LINE = { ...NEEDED, parent: 'main', subagent_type: 'Explore', api_s: 1.5, think_s: 3 };
const parse = (change: object): unknown => parseTraceRow(JSON.stringify({ ...LINE, ...change }), 12);

describe('parseTraceRow', () => {
  it('reads the fields of a row and leaves others away', () => {
    expect(parse({ stop: 'end_turn' })).toEqual(LINE);
  });

  it('takes absent for what may be absent', () => {
    const parsed = parse({ subagent_type: undefined, think_s: undefined, api_s: null, parent: null });
    expect(parsed).toEqual({ ...NEEDED, parent: null });
  });

  it.each([
    [{ in: 0 }, 'line 12: in must be a whole number from 1 to 16777216, not 0'],
    [{ in: '5' }, 'in must be a whole number from 1 to 16777216, not "5"'],
    [{ in: 1e9 }, 'in must be'],
    [{ session: '' }, 'session must be a text, not ""'],
    [{ agent: undefined }, 'agent must be a text, not absent'],
    [{ parent: 7 }, 'parent must be a text'],
    [{ seq: 0.5 }, 'seq must be a whole number'],
    [{ t: -1 }, 't must be a number of at least 0'],
    [{ t: null }, 't must be a number of at least 0'],
    [{ out: -1 }, 'out must be'],
    [{ trigger: 'timer' }, 'trigger must be one of user, tool'],
    [{ ids: 'all' }, 'ids must be one of session, global'],
    [{ keep: -1 }, 'keep must be'],
    [{ new: 3 }, 'new must be a list of block ids'],
    [{ new: [[1, 2, 3], 4] }, 'new must be a list'],
    [{ new: [[1, 0], 4, 5, 6, 7] }, 'new must be a list'],
    [{ new: [-1, 4, 5, 6] }, 'new must be a list'],
    [{ new: [[1, 4.5]] }, 'new must be a list'],
    [{ new: [[Number.MAX_SAFE_INTEGER, 1]] }, 'new must be a list'],
    [{ new: [[1, 1e12]] }, 'new has 1000000000000 blocks beside the ones kept, where a prompt of that length has 4'],
    [{ new: [] }, 'new has 0 blocks'],
  ])('refuses %j', (change, message) => {
    expect(() => parse(change)).toThrow(TraceError);
    expect(() => parse(change)).toThrow(message);
  });

  it.each([
    ['{"session":', 'not JSON'],
    ['[1]', 'not an object'],
    ['null', 'not an object'],
    ['7', 'not an object'],
  ])('refuses %s', (text, message) => {
    expect(() => parseTraceRow(text, 3)).toThrow(`line 3: ${message}`);
  });
});
