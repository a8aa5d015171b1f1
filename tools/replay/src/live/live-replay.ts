import { setTimeout as pause } from 'node:timers/promises';

import {
  classOf,
  Measurement,
  NO_BLOCKS,
  planSpawns,
  promptBlocks,
  type ReplayOptions,
  sessionStarts,
  type SpawnPlan,
  type Trace,
  type TraceAgent,
  type TraceRequest,
  type TraceSession,
} from '@roost/replay';

import { BlockTexts, LEAST_WORDS } from './block-text.js';
import type { LiveOptions } from './live-options.js';
import type { LiveReport } from './live-report.js';
import { type LiveAnswer, RequestFailed, sendRequest } from './send-request.js';

/** The longest pause that a timer knows. */
const LONGEST_PAUSE = 2 ** 31 - 1;

interface LiveAgent {
  readonly session: TraceSession;
  readonly agent: TraceAgent;
  readonly spawns: SpawnPlan;
  /** The blocks of the parent's request that it started with. */
  readonly spawnedWith: Uint32Array;
}

/**
 * Sends a trace to a running cluster, closed loop: an agent's next request comes its recorded pause after the answer, a
 * sub-agent's first as long after its parent's request as recorded. Prompts are texts with the trace's block structure.
 * Ids are the replay's own, so that one replay finds nothing of another by them.
 */
export class LiveReplay {
  readonly #measurement: Measurement;
  readonly #texts: BlockTexts;
  readonly #wordsPerBlock: number;
  readonly #failed: Record<string, number> = {};
  readonly #signal: AbortSignal;
  readonly #enough = new AbortController();
  #sent = 0;

  /** @param name makes the ids of this replay its own */
  constructor(
    private readonly trace: Trace,
    private readonly model: string,
    private readonly live: LiveOptions,
    private readonly options: Pick<ReplayOptions, 'sessionInterval' | 'thinkScale' | 'oracleHorizons' | 'seed'>,
    private readonly name: string,
  ) {
    this.#wordsPerBlock = Math.max(LEAST_WORDS, Math.round(trace.tokensPerBlock / live.scale));
    this.#texts = new BlockTexts(this.#wordsPerBlock);
    const shape = { numBlocks: trace.numBlocks, tokensPerBlock: this.#wordsPerBlock };
    this.#measurement = new Measurement(shape, options.oracleHorizons);
    this.#signal = AbortSignal.timeout(live.seconds * 1000);
  }

  /** Runs until the trace, the requests or the time is over. */
  async run(): Promise<LiveReport> {
    const began = performance.now();
    const { sessionInterval, seed } = this.options;
    const starts = sessionStarts(this.trace.sessions.length, sessionInterval / this.live.speed, seed);
    const sessions = this.trace.sessions.map((session, index) => {
      const spawns = planSpawns(session);
      const start = session.recordedStart === null ? (starts[index] ?? 0) : this.#scaled(session.recordedStart);
      return Promise.all(
        spawns.roots.map((agent) =>
          this.#runAgent(
            { session, agent, spawns, spawnedWith: NO_BLOCKS },
            start + this.#scaled(agent.requests[0]?.recordedAt),
          ),
        ),
      );
    });
    await Promise.all(sessions);
    return this.#report(performance.now() - began);
  }

  async #runAgent(live: LiveAgent, after: number): Promise<void> {
    const spawned: Promise<void>[] = [];
    let blocks = NO_BLOCKS;
    let wait = after;
    for (const [index, request] of live.agent.requests.entries()) {
      if (!(await this.#pause(wait))) break;
      blocks = promptBlocks(blocks, request);
      for (const agent of live.spawns.spawnedBy(live.agent, index)) {
        const offset = (agent.requests[0]?.recordedAt ?? 0) - request.recordedAt;
        spawned.push(this.#runAgent({ ...live, agent, spawnedWith: blocks }, this.#scaled(offset)));
      }
      await this.#ask(live, index, request, blocks);
      wait = this.#scaled(live.agent.requests[index + 1]?.think);
    }
    await Promise.all(spawned);
  }

  async #ask(live: LiveAgent, index: number, request: TraceRequest, blocks: Uint32Array): Promise<void> {
    this.#sent += 1;
    if (this.#sent === this.live.maxRequests) this.#enough.abort();
    const { session, agent, spawnedWith } = live;
    const inputTokens = blocks.length * this.#wordsPerBlock + 1;
    const requestClass = classOf(agent, index, blocks, spawnedWith);
    const arrivedAt = performance.now();
    const arrival = this.#measurement.arrived({ session, agent, requestClass, blocks, inputTokens }, arrivedAt);
    let firstTokenAt = arrivedAt;
    const answer = await this.#send(live, request, blocks, () => {
      firstTokenAt = performance.now();
      this.#measurement.prefilled(arrival, firstTokenAt);
    });
    if (answer === null) return;
    const { promptTokens, cachedTokens } = answer;
    this.#measurement.record(arrival, { inputTokens: promptTokens, cachedTokens, firstTokenAt });
  }

  async #send(
    { session, agent }: LiveAgent,
    { outputTokens }: TraceRequest,
    blocks: Uint32Array,
    onFirstToken: () => void,
  ): Promise<LiveAnswer | null> {
    const { url, scale, maxTokens, parentHeader } = this.live;
    const idOf = ({ id }: TraceAgent): string => `${this.name}/${session.id}/${id}`;
    const headers = {
      'x-session-id': idOf(agent),
      ...(agent.parent === null ? {} : { [parentHeader]: idOf(agent.parent) }),
    };
    const tokens = Math.max(1, Math.min(maxTokens, Math.round(outputTokens / scale)));
    // A block too short to be full is left out of the trace, but no prompt may be empty.
    const prompt = `${this.#texts.textOf(blocks)} end`;
    try {
      const request = { url, model: this.model, prompt, maxTokens: tokens, headers };
      return await sendRequest(request, this.#signal, onFirstToken);
    } catch (error) {
      if (!this.#signal.aborted) this.#fail(error);
      return null;
    }
  }

  #fail(error: unknown): void {
    const { message } = error as Error;
    const what = error instanceof RequestFailed ? message : `not answered: ${message}`;
    this.#failed[what] = (this.#failed[what] ?? 0) + 1;
  }

  /** False when the time is over, or enough was sent. */
  async #pause(ms: number): Promise<boolean> {
    const signal = AbortSignal.any([this.#signal, this.#enough.signal]);
    try {
      if (ms > 0) await pause(Math.min(ms, LONGEST_PAUSE), undefined, { signal });
      return !signal.aborted;
    } catch {
      return false;
    }
  }

  #scaled(recorded = 0): number {
    return (recorded * this.options.thinkScale) / this.live.speed;
  }

  #report(wallTime: number): LiveReport {
    const classes = this.#measurement.report();
    return { model: this.model, classes, sent: this.#sent, failed: this.#failed, wallTime };
  }
}
