import { NO_BLOCKS, promptBlocks } from '../trace/prompt-blocks.js';
import type { RequestRef, TraceAgent, TraceRequest, TraceSession } from '../trace/trace.js';

import { type Milestone, waitOf } from './agents.js';

/** A request of a session. */
export interface Step {
  readonly session: TraceSession;
  readonly agent: TraceAgent;
  /** Of the request of the agent. */
  readonly index: number;
  readonly request: TraceRequest;
}

/** The prompt of a step. */
export interface StepPrompt {
  readonly blocks: Uint32Array;
  /** The blocks of the request that the agent was spawned by; none for a main agent. */
  readonly spawnedWith: Uint32Array;
}

interface Waiting {
  readonly step: Step;
  readonly delay: number;
  /** How many requests are not yet so far. */
  left: number;
}

/** An agent, and what of its prompts has been put together. */
interface LiveAgent {
  readonly agent: TraceAgent;
  nextIndex: number;
  /** Of the request before that. */
  blocks: Uint32Array;
  /** Prompts that were put together and whose requests were not sent yet. */
  readonly unsent: Map<number, Uint32Array>;
  spawnedWith: Uint32Array;
}

/**
 * Which request of a session comes when. The loop is closed: a request comes so long after what it waits for has happened
 * as was recorded, so a slower fleet gets its requests later. Or it is open, and all come at their recorded times.
 */
export class SessionFlow {
  readonly #agents: ReadonlyMap<string, LiveAgent>;
  readonly #free: Waiting[] = [];
  /** By milestone. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** The agents that a request spawns, by request. */
  readonly #spawns = new Map<string, LiveAgent[]>();

  /** @param start called once for each request: it comes so many milliseconds from now, in the trace's time */
  constructor(
    private readonly session: TraceSession,
    isOpenLoop: boolean,
    private readonly start: (step: Step, delay: number) => void,
  ) {
    const live = session.agents.map((agent) => newLiveAgent(agent));
    this.#agents = new Map(live.map((each) => [each.agent.id, each]));
    for (const each of live) {
      const spawner = waitOf(each.agent, 0)?.for.find(({ agent }) => agent !== each.agent.id);
      if (spawner !== undefined) listUnder(this.#spawns, keyOf(spawner), each);
      for (const index of each.agent.requests.keys()) this.#enlist(each.agent, index, isOpenLoop);
    }
  }

  /** The session begins now. */
  begin(): void {
    for (const { step, delay } of this.#free) this.start(step, delay);
  }

  /** A request is sent now; asked for once. */
  send({ agent, index }: Step): StepPrompt {
    const live = this.#agents.get(agent.id);
    if (live === undefined) throw new RangeError(`${agent.id} is not an agent of ${this.session.id}`);
    for (const request of agent.requests.slice(live.nextIndex, index + 1)) {
      live.blocks = promptBlocks(live.blocks, request);
      live.unsent.set(live.nextIndex, live.blocks);
      live.nextIndex += 1;
    }
    const blocks = live.unsent.get(index) ?? NO_BLOCKS;
    live.unsent.delete(index);
    for (const spawned of this.#spawns.get(keyOf({ agent: agent.id, index })) ?? []) spawned.spawnedWith = blocks;
    return { blocks, spawnedWith: live.spawnedWith };
  }

  /** A request is so far now; told once. */
  reached({ agent, index }: Step, milestone: Milestone): void {
    for (const waiting of this.#waiting.get(`${milestone} ${keyOf({ agent: agent.id, index })}`) ?? []) {
      waiting.left -= 1;
      if (waiting.left === 0) this.start(waiting.step, waiting.delay);
    }
  }

  #enlist(agent: TraceAgent, index: number, isOpenLoop: boolean): void {
    const request = agent.requests[index];
    if (request === undefined) return;
    const wait = isOpenLoop ? null : waitOf(agent, index);
    const step = { session: this.session, agent, index, request };
    if (wait === null) {
      this.#free.push({ step, delay: request.recordedAt, left: 0 });
      return;
    }
    const waiting = { step, delay: wait.delay, left: wait.for.length };
    for (const ref of wait.for) listUnder(this.#waiting, `${wait.until} ${keyOf(ref)}`, waiting);
  }
}

function newLiveAgent(agent: TraceAgent): LiveAgent {
  return { agent, nextIndex: 0, blocks: NO_BLOCKS, unsent: new Map(), spawnedWith: NO_BLOCKS };
}

function keyOf({ agent, index }: RequestRef): string {
  return `${String(index)} ${agent}`;
}

function listUnder<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
