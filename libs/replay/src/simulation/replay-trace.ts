import type { Policy } from '../policies/policy.js';
import { type Arrival, Measurement } from '../report/measurement.js';
import type { ReplayReport } from '../report/replay-report.js';
import { classOf } from '../report/request-class.js';
import { imbalanceOf } from '../report/spread.js';
import { hashesOfBlocks } from '../trace/block-hash.js';
import { conversationOf, parentConversationOf, rootOf, type Trace, type TraceRequest } from '../trace/trace.js';

import { ContextFleet } from './context-fleet.js';
import type { Prefilled } from './context-instance.js';
import type { UnplacedLeg } from './fleet-placement.js';
import { GenerationFleet } from './generation-fleet.js';
import { checkReplayOptions, ReplayOptionError, type ReplayOptions } from './replay-options.js';
import { SessionFlow, type Step } from './session-flow.js';
import { sessionStarts } from './session-starts.js';
import { VirtualTime } from './virtual-time.js';

/** How far a replay is. */
export interface ReplayProgress {
  readonly completed: number;
  readonly requests: number;
  /** Milliseconds. */
  readonly virtualTime: number;
}

/**
 * Replays a trace in virtual time, closed loop unless the options say otherwise: a request comes its recorded pause after
 * what it waits for, as SessionFlow says. Prefill runs on the routers, caches, ranks and time model of production; so do the
 * caches of generation instances, but decode is a delay of one step a token.
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

function checkCapacity({ sessions, tokensPerBlock }: Trace, options: ReplayOptions): void {
  let [longest, longestAnswered] = [0, 0];
  for (const { agents } of sessions)
    for (const { requests } of agents)
      for (const { inputTokens, outputTokens } of requests) {
        longest = Math.max(longest, inputTokens + 1);
        longestAnswered = Math.max(longestAnswered, inputTokens + outputTokens);
      }
  const check = (option: 'capacityTokens' | 'generationCapacityTokens', tokens: number, of: string): void => {
    const needed = Math.ceil(tokens / tokensPerBlock) * tokensPerBlock;
    if (options[option] < needed)
      throw new ReplayOptionError(option, `at least ${String(needed)} for ${of}`, options[option]);
  };
  check('capacityTokens', longest, `a prompt of ${String(longest - 1)} tokens`);
  check('generationCapacityTokens', longestAnswered, `${String(longestAnswered)} tokens of a prompt and its answer`);
}

class Replay {
  readonly #time = new VirtualTime();
  readonly #contexts: ContextFleet;
  readonly #generations: GenerationFleet;
  readonly #hashes: readonly bigint[];
  readonly #measurement: Measurement;
  #completed = 0;
  #tokensMoved = 0;
  #tokensHeld = 0;

  constructor(
    private readonly trace: Trace,
    private readonly policy: Policy,
    private readonly options: ReplayOptions,
    private readonly onProgress: (progress: ReplayProgress) => void,
  ) {
    const { tokensPerBlock, numBlocks } = trace;
    this.#contexts = new ContextFleet(policy, options, this.#time, tokensPerBlock);
    this.#generations = new GenerationFleet(policy.generation, options, this.#time, tokensPerBlock);
    this.#hashes = hashesOfBlocks(numBlocks);
    this.#measurement = new Measurement(trace, options.oracleHorizons);
  }

  run(): ReplayReport {
    const { sessions, numRequests } = this.trace;
    const starts = sessionStarts(sessions.length, this.options.sessionInterval, this.options.seed);
    sessions.forEach((session, index) => {
      const flow = new SessionFlow(session, this.options.openLoop, (step, delay) => {
        this.#time.at(this.#time.now + this.#pause(delay), () => this.#arrive(flow, step));
      });
      const recorded = session.recordedStart === null ? null : this.#pause(session.recordedStart);
      this.#time.at(recorded ?? starts[index] ?? 0, () => flow.begin());
    });
    this.#time.run();
    if (this.#completed !== numRequests)
      throw new Error(`${String(this.#completed)} of ${String(numRequests)} requests were completed`);
    return this.#report();
  }

  #arrive(flow: SessionFlow, step: Step): void {
    const { session, agent, index, request } = step;
    const { now } = this.#time;
    const { blocks, spawnedWith } = flow.send(step);
    flow.reached(step, 'asked');
    const { inputTokens } = request;
    const requestClass = classOf(agent, index, blocks, spawnedWith);
    const arrival = this.#measurement.arrived({ session, agent, requestClass, blocks, inputTokens }, now);
    const leg: UnplacedLeg = {
      inputTokens,
      hashes: Array.from(blocks, (block) => this.#hashes[block] ?? 0n),
      conversationId: conversationOf(session, agent),
      parentSession: parentConversationOf(session, agent),
      rootSession: agent.parent === null ? null : conversationOf(session, rootOf(agent)),
      siblingGroup: agent.parent === null ? null : `${conversationOf(session, rootOf(agent))}#${agent.type ?? ''}`,
    };
    const prefilled = (outcome: Prefilled): void => {
      this.#measure(arrival, outcome);
      flow.reached(step, 'streaming');
      this.#generate(leg, request, outcome, () => this.#complete(flow, step));
    };
    this.#contexts.place({ ...leg, prefilled });
  }

  #measure(arrival: Arrival, { cachedTokens }: Prefilled): void {
    const firstTokenAt = this.#time.now;
    this.#measurement.prefilled(arrival, firstTokenAt);
    this.#measurement.record(arrival, { inputTokens: arrival.request.inputTokens, cachedTokens, firstTokenAt });
  }

  /** The first answer token comes out of the prefill, and an answer of no more than that needs no generation. */
  #generate(leg: UnplacedLeg, { outputTokens }: TraceRequest, prefilled: Prefilled, done: () => void): void {
    if (outputTokens <= 1) {
      prefilled.release();
      done();
      return;
    }
    const decodeTime = (outputTokens - 1) * this.options.decodeStepMs;
    const imported = (heldTokens: number, arrived: () => void): void => {
      const missing = leg.inputTokens - heldTokens;
      this.#tokensHeld += heldTokens;
      this.#tokensMoved += missing;
      prefilled.send(missing, arrived);
    };
    this.#generations.place({ ...leg, outputTokens, decodeTime, admitted: imported, done });
  }

  #complete(flow: SessionFlow, step: Step): void {
    this.#completed += 1;
    this.onProgress({
      completed: this.#completed,
      requests: this.trace.numRequests,
      virtualTime: this.#time.now,
    });
    flow.reached(step, 'answered');
  }

  #pause(recorded: number): number {
    return recorded * this.options.thinkScale;
  }

  #report(): ReplayReport {
    const prefillTokens = this.#contexts.prefillTokens();
    const perInstance = prefillTokens.map((ranks) => ranks.reduce((sum, tokens) => sum + tokens, 0));
    const { kvBytesPerToken } = this.options;
    return {
      policy: this.policy.name,
      classes: this.#measurement.report(),
      prefillImbalance: { instances: imbalanceOf(perInstance), ranks: imbalanceOf(prefillTokens.flat()) },
      prefillTokens,
      kvBytesMoved: this.#tokensMoved * kvBytesPerToken,
      kvBytesHeld: this.#tokensHeld * kvBytesPerToken,
      holds: this.#contexts.holds(),
      virtualTime: this.#time.now,
    };
  }
}
