import { describe, expect, it } from '@jest/globals';

import { generatedLine, generatedTraceOf } from '../testing/generated-line.js';
import type { Trace } from '../trace/trace.js';

import { SessionFlow, type Step } from './session-flow.js';

/** Owns: which request of a session comes after what, and with which prompt. */

interface Flow {
  readonly flow: SessionFlow;
  /** What was started since it was last asked, as agent#index@delay. */
  readonly started: () => string[];
  readonly step: (name: string) => Step;
}

function flowOf({ sessions: [session] }: Trace, isOpenLoop = false): Flow {
  if (session === undefined) throw new Error('there is a session');
  const steps = new Map<string, Step>();
  let latest: string[] = [];
  const flow = new SessionFlow(session, isOpenLoop, (step, delay) => {
    const name = `${step.agent.id}#${String(step.index)}`;
    steps.set(name, step);
    latest.push(`${name}@${String(delay)}`);
  });
  const step = (name: string): Step => {
    const found = steps.get(name);
    if (found === undefined) throw new Error(`${name} was not started`);
    return found;
  };
  const started = (): string[] => {
    const all = latest;
    latest = [];
    return all;
  };
  flow.begin();
  return { flow, started, step };
}

const [SYSTEM, HISTORY] = [
  { ns: 't/system', len: 64 },
  { ns: 's.h', len: 64 },
];
/** A parent that spawns two sub-agents with its first request, one while it streams, and goes on after both. */
const FAMILY = generatedTraceOf(
  generatedLine({ prefix: [SYSTEM, { ns: 's.q', len: 64 }] }),
  generatedLine({
    id: 'a#0',
    t: 1,
    agent: 'a',
    parent: 's',
    kind: 'spawn',
    trigger: 'stream',
    wait_for: ['s#0'],
    delay_s: 0.5,
  }),
  generatedLine({
    id: 'b#0',
    t: 2,
    agent: 'b',
    parent: 's',
    kind: 'fork',
    trigger: 'spawn',
    wait_for: ['s#0'],
    delay_s: 1,
  }),
  generatedLine({
    id: 'a#1',
    t: 3,
    agent: 'a',
    parent: 's',
    kind: 'spawn',
    trigger: 'tool',
    wait_for: ['a#0'],
    delay_s: 2,
  }),
  generatedLine({
    id: 's#1',
    t: 9,
    trigger: 'tool',
    wait_for: ['s#0', 'a#1', 'b#0'],
    delay_s: 3,
    prefix: [SYSTEM, HISTORY],
  }),
);

describe('SessionFlow', () => {
  it('starts sub-agents when their parent streams or has answered, and the parent after the last of them', () => {
    const { flow, started, step } = flowOf(FAMILY);
    expect(started()).toEqual(['s#0@0']);
    flow.reached(step('s#0'), 'asked');
    expect(started()).toEqual([]);
    flow.reached(step('s#0'), 'streaming');
    expect(started()).toEqual(['a#0@500']);
    flow.reached(step('s#0'), 'answered');
    expect(started()).toEqual(['b#0@1000']);
    flow.reached(step('a#0'), 'answered');
    flow.reached(step('b#0'), 'answered');
    expect(started()).toEqual(['a#1@2000']);
    flow.reached(step('a#1'), 'answered');
    expect(started()).toEqual(['s#1@3000']);
  });

  it('starts all at their recorded times in an open loop', () => {
    const { flow, started, step } = flowOf(FAMILY, true);
    expect(started().toSorted()).toEqual(['a#0@1000', 'a#1@3000', 'b#0@2000', 's#0@0', 's#1@9000']);
    flow.reached(step('s#0'), 'answered');
    expect(started()).toEqual([]);
  });

  it('has prompts ready in any order, and those that agents were spawned with', () => {
    const { flow, step } = flowOf(FAMILY, true);
    expect([...flow.send(step('s#1')).blocks]).toEqual([0, 2]);
    expect([...flow.send(step('s#0')).blocks]).toEqual([0, 1]);
    const { blocks, spawnedWith } = flow.send(step('b#0'));
    expect([[...blocks], [...spawnedWith]]).toEqual([[0], [0, 1]]);
  });
});
