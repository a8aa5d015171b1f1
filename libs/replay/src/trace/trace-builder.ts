import { BlockNumbers, UnchainedBlockError } from './block-numbers.js';
import { TraceError } from './trace-error.js';
import { type BlockIds, TOKENS_PER_BLOCK, type TraceRow } from './trace-row.js';
import type { Trace, TraceAgent, TraceRequest, TraceSession } from './trace.js';

/** An agent while its rows come in. */
interface GrowingAgent {
  readonly row: TraceRow;
  readonly line: number;
  readonly requests: TraceRequest[];
  /** Of the latest request: its block ids, and their numbers. */
  ids: readonly number[];
  numbers: Uint32Array;
  model: string;
}

/** Puts a trace together from its rows: those of one agent in order, sessions and agents in any. */
export class TraceBuilder {
  readonly #sessions = new Map<string, Map<string, GrowingAgent>>();
  readonly #numbers = new BlockNumbers();
  #numRequests = 0;

  /** Adds a row. Throws a TraceError when it does not continue its agent; the trace cannot be finished then. */
  add(row: TraceRow, line: number): void {
    const agent = this.#agentOf(row, line);
    if (row.seq !== agent.requests.length)
      throw new TraceError(line, `seq is ${String(row.seq)}, where ${String(agent.requests.length)} is next`);
    if (row.keep > agent.ids.length)
      throw new TraceError(line, `keep is ${String(row.keep)} of a prompt of ${String(agent.ids.length)} blocks`);
    const previous = agent.requests.at(-1);
    const { keep, added } = this.#takeBlocks(agent, row, line);
    const recordedAt = row.t * 1000;
    const recordedDuration = (row.api_s ?? 0) * 1000;
    const answered = previous === undefined ? recordedAt : previous.recordedAt + previous.recordedDuration;
    agent.requests.push({
      recordedAt,
      recordedDuration,
      think: row.seq === 0 ? 0 : row.think_s === undefined ? Math.max(0, recordedAt - answered) : row.think_s * 1000,
      trigger: row.trigger,
      inputTokens: row.in,
      outputTokens: row.out,
      keep,
      added,
    });
    this.#numRequests += 1;
  }

  /** The trace of all rows. Throws a TraceError for an agent whose parent is not there, or is its own descendant. */
  finish(): Trace {
    return {
      sessions: [...this.#sessions].map(([id, agents]) => finishSession(id, agents)),
      numBlocks: this.#numbers.size,
      numRequests: this.#numRequests,
      tokensPerBlock: TOKENS_PER_BLOCK,
    };
  }

  #agentOf(row: TraceRow, line: number): GrowingAgent {
    const session = this.#sessions.get(row.session) ?? new Map<string, GrowingAgent>();
    this.#sessions.set(row.session, session);
    const known = session.get(row.agent);
    if (known !== undefined) return known;
    const agent = { row, line, requests: [], ids: [], numbers: new Uint32Array(0), model: row.model };
    session.set(row.agent, agent);
    return agent;
  }

  #takeBlocks(agent: GrowingAgent, row: TraceRow, line: number): Pick<TraceRequest, 'keep' | 'added'> {
    // Models share no cache: with another one, all blocks are others.
    const keep = row.model === agent.model ? row.keep : 0;
    agent.ids = agent.ids.slice(0, row.keep).concat(expand(row.new));
    agent.model = row.model;
    try {
      const added = this.#numbers.number(scopeOf(row), agent.ids.slice(keep), agent.numbers[keep - 1]);
      const numbers = new Uint32Array(keep + added.length);
      numbers.set(agent.numbers.subarray(0, keep));
      numbers.set(added, keep);
      agent.numbers = numbers;
      return { keep, added };
    } catch (error) {
      if (!(error instanceof UnchainedBlockError)) throw error;
      throw new TraceError(line, error.message, { cause: error });
    }
  }
}

function scopeOf({ ids, session, model }: TraceRow): string {
  return JSON.stringify(ids === 'global' ? [model] : [model, session]);
}

function expand(list: readonly BlockIds[]): number[] {
  return list.flatMap((ids) =>
    typeof ids === 'number' ? [ids] : Array.from({ length: ids[1] }, (_, index) => ids[0] + index),
  );
}

function finishSession(id: string, growing: ReadonlyMap<string, GrowingAgent>): TraceSession {
  const [first] = growing.values();
  const start = first?.row.start;
  const agents = new Map<string, TraceAgent>();
  const finish = ({ row, line, requests }: GrowingAgent, below: ReadonlySet<string>): TraceAgent => {
    const known = agents.get(row.agent);
    if (known !== undefined) return known;
    if (below.has(row.agent)) throw new TraceError(line, `agent ${row.agent} descends from itself`);
    const spawner = row.parent === null ? null : growing.get(row.parent);
    if (spawner === undefined)
      throw new TraceError(line, `parent ${String(row.parent)} is not an agent of the session`);
    const parent = spawner === null ? null : finish(spawner, new Set([...below, row.agent]));
    const agent = { id: row.agent, parent, type: row.subagent_type ?? null, requests };
    agents.set(row.agent, agent);
    return agent;
  };
  return {
    id,
    recordedStart: start === undefined ? null : start * 1000,
    agents: [...growing.values()].map((agent) => finish(agent, new Set())),
  };
}
