// The explicit path of the conversation router against a model that scans plain lists, and against recorded cases
// (`conversation-router*.json`, where the folder of vectors is at hand).
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { type Placement } from '../ports/fleet-router.js';

import { ConversationRouter } from './conversation-router.js';

interface Route {
  readonly op: 'route';
  readonly request: number;
  readonly conversation_id: string;
  readonly subagent_affinity_id?: string;
  readonly text_chars: number;
  readonly exclude?: string;
  readonly server?: string | null;
}
interface Finish {
  readonly op: 'finish';
  readonly request: number;
}
interface Change {
  readonly op: 'add_server' | 'remove_server';
  readonly server: string;
}
type Operation = Route | Finish | Change;
interface Case {
  readonly servers: readonly string[];
  readonly max_sessions: number;
  readonly ops: readonly Operation[];
}
interface Outcome {
  readonly placed: readonly (string | null)[];
  readonly final_bindings: readonly (readonly [string, string])[];
  readonly final_load: Readonly<Record<string, number>>;
}

const isRoute = (step: Operation): step is Route => step.op === 'route';
const isFinish = (step: Operation): step is Finish => step.op === 'finish';

function runRouter(what: Case): Outcome {
  const router = new ConversationRouter(what.servers, {
    matchThreshold: 0.75,
    tokensPerBlock: 128,
    hashSkipCount: 0,
    maxSessions: what.max_sessions,
    maxContentBytes: 2 ** 20,
  });
  const placed: (string | null)[] = [];
  const inFlight = new Map<number, Placement>();
  const route = (step: Route): void => {
    const placement = router.route(
      {
        conversationId: step.conversation_id,
        subagentAffinityId: step.subagent_affinity_id ?? null,
        textChars: step.text_chars,
        text: () => '',
        promptTokenIds: null,
      },
      new Set(step.exclude === undefined ? [] : [step.exclude]),
    );
    placed.push(placement?.server ?? null);
    if (placement) inFlight.set(step.request, placement);
  };
  for (const step of what.ops) {
    if (isRoute(step)) route(step);
    else if (isFinish(step)) {
      const placement = inFlight.get(step.request);
      if (placement) router.finish(placement, true);
    } else if (step.op === 'add_server') router.addServer(step.server);
    else router.removeServer(step.server);
    expect([...router.bindings()].length).toBeLessThanOrEqual(what.max_sessions);
  }
  return {
    placed,
    final_bindings: [...router.bindings()],
    final_load: Object.fromEntries(router.loads()),
  };
}

/** Bindings as a list, least recently used first; every question is answered by scanning. */
function runModel(what: Case): Outcome {
  let live = what.servers.map((name) => ({ name, load: 0 }));
  let bound: (readonly [string, string])[] = [];
  let selections = 0;
  const placed: (string | null)[] = [];
  const inFlight = new Map<number, { server: { load: number }; weight: number }>();

  const choose = (exclude?: string): string | null => {
    const candidates = live.filter(({ name }) => name !== exclude);
    const least = Math.min(...candidates.map(({ load }) => load));
    const tied = candidates.filter(({ load }) => load === least);
    return tied.length === 0 ? null : (tied[selections++ % tied.length]?.name ?? null);
  };
  const route = (step: Route): void => {
    const key = step.subagent_affinity_id ?? step.conversation_id;
    const home = bound.find(([known]) => known === key)?.[1];
    const name = home !== undefined && home !== step.exclude ? home : choose(step.exclude);
    placed.push(name);
    if (name === null) return;
    bound = [...bound.filter(([known]) => known !== key), [key, name] as const];
    bound = bound.slice(-what.max_sessions);
    const server = live.find((known) => known.name === name);
    const weight = Math.max(Math.floor(step.text_chars / 5), 1);
    if (server === undefined) return;
    server.load += weight;
    inFlight.set(step.request, { server, weight });
  };
  for (const step of what.ops) {
    if (isRoute(step)) route(step);
    else if (isFinish(step)) {
      const held = inFlight.get(step.request);
      if (held) held.server.load -= held.weight;
      inFlight.delete(step.request);
    } else if (step.op === 'remove_server') {
      live = live.filter(({ name }) => name !== step.server);
      bound = bound.filter(([, server]) => server !== step.server);
    } else if (!live.some(({ name }) => name === step.server)) live.push({ name: step.server, load: 0 });
  }
  return {
    placed,
    final_bindings: bound,
    final_load: Object.fromEntries(live.map(({ name, load }) => [name, load])),
  };
}

const handWritten: (Case & Outcome)[] = [
  {
    servers: ['a', 'b'],
    max_sessions: 2,
    ops: [
      { op: 'route', request: 0, conversation_id: 'p', text_chars: 50 },
      { op: 'route', request: 1, conversation_id: 'c', subagent_affinity_id: 'p', text_chars: 0 },
      { op: 'route', request: 2, conversation_id: 'q', text_chars: 5 },
      { op: 'route', request: 3, conversation_id: 'r', text_chars: 5 },
      { op: 'finish', request: 0 },
    ],
    placed: ['a', 'a', 'b', 'b'],
    final_bindings: [
      ['q', 'b'],
      ['r', 'b'],
    ],
    final_load: { a: 1, b: 2 },
  },
  {
    servers: ['a', 'b'],
    max_sessions: 3,
    ops: [
      { op: 'route', request: 0, conversation_id: 'p', text_chars: 500 },
      { op: 'route', request: 1, conversation_id: 'p', text_chars: 0, exclude: 'a' },
      { op: 'route', request: 2, conversation_id: 'q', text_chars: 0 },
      { op: 'remove_server', server: 'a' },
      { op: 'route', request: 3, conversation_id: 'q', text_chars: 0, exclude: 'b' },
      { op: 'add_server', server: 'a' },
      { op: 'finish', request: 0 },
      { op: 'route', request: 4, conversation_id: 'q', text_chars: 0 },
    ],
    placed: ['a', 'b', 'b', null, 'b'],
    final_bindings: [
      ['p', 'b'],
      ['q', 'b'],
    ],
    final_load: { a: 0, b: 3 },
  },
];

describe('ConversationRouter, explicit path', () => {
  it.each(handWritten)('answers the hand-written case %#', (what) => {
    const { placed, final_bindings, final_load } = what;
    expect(runRouter(what)).toEqual({ placed, final_bindings, final_load });
  });

  it('keeps a key home while the home is live, whatever is in flight', () => {
    const turn = fc.record({ key: fc.nat({ max: 9 }), chars: fc.nat({ max: 5000 }), finish: fc.nat() });
    fc.assert(
      fc.property(fc.array(turn), (turns) => {
        const ops = turns.flatMap(({ key, chars, finish }, request): Operation[] => [
          { op: 'route', request, conversation_id: String(key), text_chars: chars },
          { op: 'finish', request: finish % (2 * (request + 1)) },
        ]);
        const { placed } = runRouter({ servers: ['a', 'b', 'c'], max_sessions: 10, ops });
        const pairs = new Set(turns.map(({ key }, at) => `${String(key)} on ${String(placed[at])}`));
        expect(pairs.size).toBe(new Set(turns.map(({ key }) => key)).size);
      }),
    );
  });

  it('equals the model on random sequences', () => {
    const server = fc.constantFrom('a', 'b', 'c', 'd');
    const key = fc.constantFrom('i', 'j', 'k', 'l', 'm', 'n');
    const step = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record(
          { key, parent: key, chars: fc.nat({ max: 60 }), exclude: server },
          { requiredKeys: ['key', 'chars'] },
        ),
      },
      { weight: 3, arbitrary: fc.record({ finish: fc.nat({ max: 60 }) }) },
      {
        weight: 1,
        arbitrary: fc.record({ op: fc.constantFrom('add_server' as const, 'remove_server' as const), server }),
      },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 80 }), (max_sessions, steps) => {
        const ops = steps.map((each, request): Operation => {
          if ('op' in each) return each;
          if ('finish' in each) return { op: 'finish', request: each.finish };
          return {
            op: 'route',
            request,
            conversation_id: each.key,
            text_chars: each.chars,
            ...(each.parent === undefined ? {} : { subagent_affinity_id: each.parent }),
            ...(each.exclude === undefined ? {} : { exclude: each.exclude }),
          };
        });
        const what = { servers: ['a', 'b', 'c'], max_sessions, ops };
        expect(runRouter(what)).toEqual(runModel(what));
      }),
      { numRuns: 500 },
    );
  });

  const folder = process.env['ROOST_VECTORS'] ?? path.resolve(import.meta.dirname, '../../../../../shared/vectors');
  const files = existsSync(folder) ? globSync(path.join(folder, 'conversation-router*.json')) : [];
  const recorded = files.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as (Case & Outcome)[]);
  it(`answers the ${String(recorded.length)} recorded cases`, () => {
    for (const what of recorded) {
      const routes = what.ops.filter(isRoute);
      expect(runRouter(what)).toEqual({
        placed: routes.map(({ server }) => server),
        final_bindings: what.final_bindings,
        final_load: what.final_load,
      });
    }
  });
});
