import { type Choices, weighted } from '../random/distributions.js';
import { namedRandom, type Random } from '../random/random.js';
import type { Dialect, Fault, GeneratedLine } from '../trace/generated/generated-line.js';

import type { Prompt } from './prompt.js';
import type { TrafficOptions } from './traffic-options.js';

/** Who an agent is, as its lines say it. */
export type AgentIdentity = Pick<GeneratedLine, 'agent' | 'parent' | 'type' | 'kind' | 'depth' | 'model'> & {
  readonly fault?: Fault;
};

/** A request to be made. */
export interface NextRequest extends Pick<GeneratedLine, 'kind' | 'model' | 'turn' | 'trigger'> {
  /** What it waits for; nothing: the session's start. */
  readonly after: readonly Asked[];
  /** Seconds. */
  readonly delay: number;
  readonly prompt: Prompt;
  /** Tokens. */
  readonly answer: number;
  /** That the request takes, and of those, until its answer begins. */
  readonly seconds: number;
  readonly secondsToFirstToken: number;
}

/** A request that was made, and when in seconds its answer began and was complete. */
export interface Asked {
  readonly id: string;
  /** As long as its line says. */
  readonly answerTokens: number;
  readonly streamsAt: number;
  readonly answeredAt: number;
}

const DIALECT_SHARES: Choices<Dialect> = [
  ['A', 0.4],
  ['B', 0.3],
  ['C', 0.2],
  ['none', 0.1],
];

/** One session while its lines are made: who it is of, and what was asked so far. */
export class SessionLines {
  readonly #lines: GeneratedLine[] = [];
  readonly #numAsked = new Map<string, number>();
  readonly random: Random;
  readonly dialect: Dialect;
  #numAgents = 0;

  /**
   * @param root the family's id, which is its main agent's
   * @param start in seconds from the trace's start
   */
  constructor(
    readonly options: TrafficOptions,
    readonly tenant: string,
    readonly root: string,
    readonly start: number,
  ) {
    this.random = namedRandom(options.seed, root);
    this.dialect = weighted(this.random, DIALECT_SHARES);
  }

  /** The id of one more sub-agent. */
  nextAgent(): string {
    this.#numAgents += 1;
    return `${this.root}.a${String(this.#numAgents)}`;
  }

  /** Makes a request of an agent. */
  ask(identity: AgentIdentity, name: string, next: NextRequest): Asked {
    const { scale } = this.options;
    const number = this.#numAsked.get(name) ?? 0;
    this.#numAsked.set(name, number + 1);
    const id = `${name}#${String(number)}`;
    const prompt = next.prompt.scaled(scale);
    const delay = rounded(next.delay);
    const since = next.after.map((each) => (next.trigger === 'stream' ? each.streamsAt : each.answeredAt));
    const t = rounded(Math.max(this.start, ...since) + delay);
    const out = Math.max(1, Math.round(next.answer / scale));
    this.#lines.push({
      id,
      t,
      tenant: this.tenant,
      model: next.model,
      root: this.root,
      agent: identity.agent,
      parent: identity.parent,
      type: identity.type,
      kind: next.kind,
      depth: identity.depth,
      turn: next.turn,
      trigger: next.trigger,
      wait_for: next.after.map((each) => each.id),
      delay_s: delay,
      in: prompt.tokens,
      out,
      prefix: prompt.parts,
      dialect: this.dialect,
      ...(identity.fault === undefined ? {} : { fault: identity.fault }),
    });
    return { id, answerTokens: out, streamsAt: t + next.secondsToFirstToken, answeredAt: t + next.seconds };
  }

  /** All lines, by their time; what was asked first is first. */
  inOrder(): readonly GeneratedLine[] {
    return this.#lines.toSorted((one, other) => one.t - other.t);
  }
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
