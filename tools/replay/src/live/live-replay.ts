import { setTimeout as pause } from 'node:timers/promises';

import {
  classOf,
  Measurement,
  type ReplayOptions,
  SessionFlow,
  sessionStarts,
  type Step,
  type StepPrompt,
  type Trace,
  type TraceSession,
} from '@roost/replay';

import { BlockTexts, LEAST_WORDS } from './block-text.js';
import { identityHeaders } from './identity-headers.js';
import type { LiveOptions } from './live-options.js';
import type { LiveReport } from './live-report.js';
import { type LiveAnswer, RequestFailed, sendRequest } from './send-request.js';

/** The longest pause that a timer knows. */
const LONGEST_PAUSE = 2 ** 31 - 1;

/**
 * Sends a trace to a running cluster, closed loop unless the options say otherwise: a request comes its recorded pause
 * after what it waits for, as SessionFlow says; one that failed is taken for answered. Prompts are texts with the trace's
 * block structure. Ids are the replay's own, so that one replay finds nothing of another by them.
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
    private readonly options: Pick<
      ReplayOptions,
      'sessionInterval' | 'thinkScale' | 'openLoop' | 'oracleHorizons' | 'seed'
    >,
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
    await Promise.all(
      this.trace.sessions.map((session, index) => {
        const start = session.recordedStart === null ? (starts[index] ?? 0) : this.#scaled(session.recordedStart);
        return this.#runSession(session, start);
      }),
    );
    return this.#report(performance.now() - began);
  }

  async #runSession(session: TraceSession, start: number): Promise<void> {
    const running: Promise<void>[] = [];
    const flow = new SessionFlow(session, this.options.openLoop, (step, delay) => {
      running.push(this.#runStep(flow, step, this.#scaled(delay)));
    });
    if (!(await this.#pause(start))) return;
    flow.begin();
    // Each may have started others before it ends.
    for (const step of running) await step;
  }

  async #runStep(flow: SessionFlow, step: Step, delay: number): Promise<void> {
    if (!(await this.#pause(delay))) return;
    const prompt = flow.send(step);
    flow.reached(step, 'asked');
    let isStreaming = false;
    const streams = (): void => {
      if (!isStreaming) flow.reached(step, 'streaming');
      isStreaming = true;
    };
    await this.#ask(step, prompt, streams);
    streams();
    flow.reached(step, 'answered');
  }

  async #ask(step: Step, { blocks, spawnedWith }: StepPrompt, onFirstToken: () => void): Promise<void> {
    this.#sent += 1;
    if (this.#sent === this.live.maxRequests) this.#enough.abort();
    const { session, agent, index } = step;
    const inputTokens = blocks.length * this.#wordsPerBlock + 1;
    const requestClass = classOf(agent, index, blocks, spawnedWith);
    const arrivedAt = performance.now();
    const arrival = this.#measurement.arrived({ session, agent, requestClass, blocks, inputTokens }, arrivedAt);
    let firstTokenAt = arrivedAt;
    const answer = await this.#send(step, blocks, () => {
      firstTokenAt = performance.now();
      this.#measurement.prefilled(arrival, firstTokenAt);
      onFirstToken();
    });
    if (answer === null) return;
    const { promptTokens, cachedTokens } = answer;
    this.#measurement.record(arrival, { inputTokens: promptTokens, cachedTokens, firstTokenAt });
  }

  async #send(step: Step, blocks: Uint32Array, onFirstToken: () => void): Promise<LiveAnswer | null> {
    const { url, scale, maxTokens } = this.live;
    const { outputTokens } = step.request;
    const headers = identityHeaders(step, this.name, this.live);
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

  #scaled(recorded: number): number {
    return (recorded * this.options.thinkScale) / this.live.speed;
  }

  #report(wallTime: number): LiveReport {
    const classes = this.#measurement.report();
    return { model: this.model, classes, sent: this.#sent, failed: this.#failed, wallTime };
  }
}
