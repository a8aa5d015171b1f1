import { describe, expect, it } from '@jest/globals';

import { row, traceOf } from '../testing/small-trace.js';
import { NO_BLOCKS, promptBlocks } from '../trace/prompt-blocks.js';
import type { Trace, TraceAgent } from '../trace/trace.js';

import { classOf } from './request-class.js';

/** Owns: which class a request is of. */

const blocks = (...numbers: number[]): Uint32Array => Uint32Array.from(numbers);

function agent({ sessions }: Trace, id: string): TraceAgent {
  const found = sessions[0]?.agents.find((each) => each.id === id);
  if (found === undefined) throw new Error(id);
  return found;
}

/** The classes of all requests of an agent that was not forked. */
function classesOf(trace: Trace, id: string): string[] {
  let prompt = NO_BLOCKS;
  const found = agent(trace, id);
  return found.requests.map((request, index) => {
    prompt = promptBlocks(prompt, request);
    return classOf(found, index, prompt, NO_BLOCKS);
  });
}

describe('classOf', () => {
  const trace = traceOf(
    row({ in: 640, new: [[1, 10]], trigger: 'user' }),
    row({ seq: 1, t: 1, in: 704, keep: 10, new: [11], trigger: 'tool' }),
    row({ seq: 2, t: 2, in: 768, keep: 11, new: [12], trigger: 'user' }),
    // 384 is half of 768; 191 is less than half of that.
    row({ seq: 3, t: 3, in: 384, keep: 1, new: [[20, 5]], trigger: 'tool' }),
    row({ seq: 4, t: 4, in: 191, keep: 1, new: [30], trigger: 'user' }),
    row({ agent: 'sub', parent: 'main', in: 320, new: [[50, 5]], trigger: 'user' }),
    row({ agent: 'sub', parent: 'main', seq: 1, t: 1, in: 384, keep: 5, new: [55], trigger: 'user' }),
    row({ agent: 'sub', parent: 'main', seq: 2, t: 2, in: 64, keep: 1, new: [] }),
  );

  it('tells main agents by what they came after, and sub-agents not', () => {
    expect(classesOf(trace, 'main')).toEqual(['mainFirst', 'mainTool', 'mainUser', 'mainTool', 'afterCompaction']);
    expect(classesOf(trace, 'sub')).toEqual(['subFirstFresh', 'subRest', 'afterCompaction']);
  });

  it.each([
    ['all of it', blocks(1, 2, 3, 4), blocks(1, 2, 3), 'subFirstFork'],
    ['all but what may open the answer', blocks(1, 2, 9, 10), blocks(1, 2, 3), 'subFirstFork'],
    ['tools only', blocks(1, 9, 10), blocks(1, 2, 3), 'subFirstFresh'],
    ['nothing', blocks(9, 10), blocks(1), 'subFirstFresh'],
    ['one block, of one', blocks(1, 10), blocks(1), 'subFirstFork'],
    ['a parent that has asked for nothing', blocks(1, 10), NO_BLOCKS, 'subFirstFresh'],
  ])('takes for a fork what begins as its parent: %s', (_, own, spawnedWith, expected) => {
    expect(classOf(agent(trace, 'sub'), 0, own, spawnedWith)).toBe(expected);
  });
});
