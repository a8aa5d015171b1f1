import { PrefixOracle } from '../oracle/prefix-oracle.js';
import type { Policy } from '../policies/policy.js';
import type { ReplayReport } from '../report/replay-report.js';
import type { RequestClass } from '../report/request-class.js';
import { imbalanceOf } from '../report/spread.js';
import { type RequestRecord, Tally } from '../report/tally.js';
import { hashesOfBlocks } from '../trace/block-hash.js';
import { NO_BLOCKS, promptBlocks } from '../trace/prompt-blocks.js';
import type { Trace, TraceAgent, TraceRequest, TraceSession } from '../trace/trace.js';

import { planSpawns, type SpawnPlan } from './agents.js';
import { ContextFleet } from './context-fleet.js';
import { checkReplayOptions, ReplayOptionError, type ReplayOptions } from './replay-options.js';
import { sessionStarts } from './session-starts.js';
import { VirtualTime } from './virtual-time.js';

/** How far a replay is. */
export interface ReplayProgress {
  readonly completed: number;
  readonly requests: number;
  /** Milliseconds. */
  readonly virtualTime: number;
}

/** One agent of a session that goes on. */
interface LiveAgent {
  readonly session: TraceSession;
  readonly agent: TraceAgent;
  readonly spawns: SpawnPlan;
}

/**
 * Replays a trace in virtual time, closed loop: an agent's next request comes its recorded pause after its previous
 * answer, and a sub-agent's first one as long after its parent's request as recorded. Prefill runs on the routers, caches,
 * ranks and time model of production; decode is a delay of one step a token, on a generation fleet without limits.
 *
 * @param onProgress told after every request
 * @throws ReplayOptionError for options that make no sense, or a cache that is too small for the longest prompt
 */
export function replayTrace(
  trace: Trace,
  policy: Policy,
  options: ReplayOptions,
  onProgress: (progress: ReplayProgress) => void = () => undefined,
): ReplayReport {
  checkReplayOptions(options);
  checkCapacity(trace, options);
  const replay = new Replay(trace, policy, options, onProgress);
  return replay.run();
}

function checkCapacity({ sessions, tokensPerBlock }: Trace, { capacityTokens }: ReplayOptions): void {
  let longest = 0;
  for (const { agents } of sessions)
    for (const { requests } of agents) for (const { inputTokens } of requests) longest = Math.max(longest, inputTokens);
  const needed = Math.ceil((longest + 1) / tokensPerBlock) * tokensPerBlock;
  if (capacityTokens >= needed) return;
  throw new ReplayOptionError(
    'capacityTokens',
    `at least ${String(needed)} for a prompt of ${String(longest)} tokens`,
    capacityTokens,
  );
}

class Replay {
  readonly #time = new VirtualTime();
  readonly #fleet: ContextFleet;
  readonly #hashes: readonly bigint[];
  readonly #arrived: PrefixOracle;
  readonly #finished: PrefixOracle;
  readonly #tallies = { mainFirst: new Tally(), subFirst: new Tally(), rest: new Tally(), total: new Tally() };
  #completed = 0;
  #kvBytesMoved = 0;

  constructor(
    private readonly trace: Trace,
    private readonly policy: Policy,
    private readonly options: ReplayOptions,
    private readonly onProgress: (progress: ReplayProgress) => void,
  ) {
    this.#fleet = new ContextFleet(policy, options, this.#time, trace.tokensPerBlock);
    this.#hashes = hashesOfBlocks(trace.numBlocks);
    const { numBlocks, tokensPerBlock } = trace;
    this.#arrived = new PrefixOracle(numBlocks, tokensPerBlock, options.oracleHorizon);
    this.#finished = new PrefixOracle(numBlocks, tokensPerBlock, options.oracleHorizon);
  }

  run(): ReplayReport {
    const { sessions, numRequests } = this.trace;
    const starts = sessionStarts(sessions.length, this.options.sessionInterval, this.options.seed);
    sessions.forEach((session, index) => {
      const spawns = planSpawns(session);
      const recorded = session.recordedStart === null ? null : this.#pause(session.recordedStart);
      const start = recorded ?? starts[index] ?? 0;
      for (const agent of spawns.roots)
        this.#startAgent({ session, agent, spawns }, start + this.#pause(agent.requests[0]?.recordedAt));
    });
    this.#time.run();
    if (this.#completed !== numRequests)
      throw new Error(`${String(this.#completed)} of ${String(numRequests)} requests were completed`);
    return this.#report();
  }

  #startAgent(live: LiveAgent, at: number): void {
    this.#time.at(at, () => this.#arrive(live, 0, NO_BLOCKS));
  }

  #arrive(live: LiveAgent, index: number, previous: Uint32Array): void {
    const { session, agent, spawns } = live;
    const request = agent.requests[index];
    if (request === undefined) return;
    const arrivedAt = this.#time.now;
    for (const spawned of spawns.spawnedBy(agent, index)) {
      const after = this.#pause((spawned.requests[0]?.recordedAt ?? 0) - request.recordedAt);
      this.#startAgent({ ...live, agent: spawned }, arrivedAt + after);
    }
    const { inputTokens } = request;
    const blocks = promptBlocks(previous, request);
    const reusableTokens = this.#finished.reusableTokens(blocks, inputTokens, arrivedAt);
    const instantlyReusableTokens = this.#arrived.reusableTokens(blocks, inputTokens, arrivedAt);
    this.#arrived.remember(blocks, arrivedAt);
    this.#fleet.place({
      inputTokens,
      hashes: Array.from(blocks, (block) => this.#hashes[block] ?? 0n),
      conversationId: conversationOf(session, agent),
      parentSession: agent.parent === null ? null : conversationOf(session, agent.parent),
      rootSession: agent.parent === null ? null : conversationOf(session, rootOf(agent)),
      prefilled: (cachedTokens) => {
        const timeToFirstToken = this.#time.now - arrivedAt;
        this.#finished.remember(blocks, this.#time.now);
        this.#record(classOf(agent, index), {
          inputTokens,
          cachedTokens,
          reusableTokens,
          instantlyReusableTokens,
          timeToFirstToken,
        });
      },
      handedOff: () => {
        this.#kvBytesMoved += inputTokens * this.options.kvBytesPerToken;
        this.#decode(request, () => this.#complete(live, index, blocks));
      },
    });
  }

  /** The first answer token comes out of the prefill. */
  #decode({ outputTokens }: TraceRequest, done: () => void): void {
    const steps = Math.max(0, outputTokens - 1);
    this.#time.at(this.#time.now + steps * this.options.decodeStepMs, done);
  }

  #complete(live: LiveAgent, index: number, blocks: Uint32Array): void {
    this.#completed += 1;
    const { now } = this.#time;
    this.onProgress({ completed: this.#completed, requests: this.trace.numRequests, virtualTime: now });
    const next = live.agent.requests[index + 1];
    if (next !== undefined) this.#time.at(now + this.#pause(next.think), () => this.#arrive(live, index + 1, blocks));
  }

  #pause(recorded = 0): number {
    return recorded * this.options.thinkScale;
  }

  #record(requestClass: RequestClass, record: RequestRecord): void {
    this.#tallies[requestClass].add(record);
    this.#tallies.total.add(record);
  }

  #report(): ReplayReport {
    const { mainFirst, subFirst, rest, total } = this.#tallies;
    const prefillTokens = this.#fleet.prefillTokens();
    const perInstance = prefillTokens.map((ranks) => ranks.reduce((sum, tokens) => sum + tokens, 0));
    return {
      policy: this.policy.name,
      classes: {
        mainFirst: mainFirst.report(),
        subFirst: subFirst.report(),
        rest: rest.report(),
        total: total.report(),
      },
      prefillImbalance: { instances: imbalanceOf(perInstance), ranks: imbalanceOf(prefillTokens.flat()) },
      prefillTokens,
      kvBytesMoved: this.#kvBytesMoved,
      virtualTime: this.#time.now,
    };
  }
}

function conversationOf(session: TraceSession, agent: TraceAgent): string {
  return `${session.id}/${agent.id}`;
}

function rootOf(agent: TraceAgent): TraceAgent {
  return agent.parent === null ? agent : rootOf(agent.parent);
}

function classOf({ parent }: TraceAgent, index: number): RequestClass {
  if (index > 0) return 'rest';
  return parent === null ? 'mainFirst' : 'subFirst';
}
