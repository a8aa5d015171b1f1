import { lognormal, uniform } from '../random/distributions.js';
import type { LineTrigger } from '../trace/generated/generated-line.js';

import type { AgentProfile } from './agent-profile.js';
import { Prompt } from './prompt.js';
import type { AgentIdentity, Asked, NextRequest, SessionLines } from './session-lines.js';

/** Share of requests that append a long file or tool output, and how long, in tokens (agent-traffic reference 3.1). */
const LONG_SHARE = 0.02;
const LONG_TOKENS = [20_000, 66_000] as const;
/** Share of requests that come with one beside the agent's work, and its tokens: for a title, a quota, a page. */
const SIDE_SHARE = 0.025;
const SIDE_SYSTEM_TOKENS = 300;
const SIDE_TOKENS = [50, 600] as const;
const SIDE_ANSWER = [5, 80] as const;
const SIDE_MODEL = 'small';
/** The part of a request's time after which its answer begins. */
const FIRST_TOKEN = 0.3;

/** One agent on its way from request to request. */
export class AgentLife {
  readonly numRequests: number;
  #made = 0;
  #turn = -1;
  #latest: Asked | null = null;
  /** The turn has begun with a request for a summary. */
  #isSummedUp = false;

  /**
   * @param name of the agent in its lines' and namespaces' names
   * @param prompt of its first request
   */
  constructor(
    readonly session: SessionLines,
    private readonly profile: AgentProfile,
    readonly identity: AgentIdentity,
    readonly name: string,
    public prompt: Prompt,
  ) {
    const requests = Math.round(lognormal(session.random, profile.requests));
    this.numRequests = Math.min(Math.max(1, requests), profile.mostRequests);
  }

  /** Requests made so far, without those beside its work and those that sum it up. */
  get made(): number {
    return this.#made;
  }

  /** What its next request has to wait for. */
  get latest(): readonly Asked[] {
    return this.#latest === null ? [] : [this.#latest];
  }

  /** Tokens that the next prompt has more than the last. */
  appendedTokens(): number {
    const { random } = this.session;
    if (random() < LONG_SHARE) return Math.round(uniform(random, ...LONG_TOKENS));
    return Math.max(1, Math.round(lognormal(random, this.profile.appended)));
  }

  /** Seconds that a tool takes, where pauses are not scaled. */
  toolPause(): number {
    return lognormal(this.session.random, this.profile.tool);
  }

  /** Makes the agent's next request with its prompt as it is. */
  ask(trigger: LineTrigger, after: readonly Asked[], delay: number): Asked {
    const { random } = this.session;
    if (trigger !== 'tool' && !this.#isSummedUp) this.#turn += 1;
    this.#isSummedUp = false;
    if (random() < SIDE_SHARE) this.#askBeside(trigger, after, delay);
    this.#made += 1;
    return this.#ask({
      kind: this.identity.kind,
      trigger,
      after,
      delay,
      prompt: this.prompt,
      answer: lognormal(random, this.profile.answer),
    });
  }

  /** Asks for a summary, beside the requests that are counted. */
  askForSummary(prompt: Prompt, answer: number, when: Pick<NextRequest, 'trigger' | 'after' | 'delay'>): Asked {
    if (when.trigger === 'user') this.#turn += 1;
    this.#isSummedUp = true;
    return this.#ask({ kind: 'compact', prompt, answer, ...when });
  }

  #ask(request: Omit<NextRequest, 'model' | 'turn' | 'seconds' | 'secondsToFirstToken'>): Asked {
    const seconds = lognormal(this.session.random, this.profile.request);
    const times = { seconds, secondsToFirstToken: seconds * FIRST_TOKEN };
    const { model } = this.identity;
    this.#latest = this.session.ask(this.identity, this.name, { ...request, ...times, model, turn: this.#turn });
    return this.#latest;
  }

  #askBeside(trigger: LineTrigger, after: readonly Asked[], delay: number): void {
    const { random, tenant, dialect } = this.session;
    const own = { ns: `${this.name}.s${String(this.#made)}`, len: Math.round(uniform(random, ...SIDE_TOKENS)) };
    this.session.ask(this.identity, this.name, {
      ...{ kind: 'side', model: SIDE_MODEL, turn: this.#turn, trigger, after, delay },
      prompt: new Prompt([{ ns: `${tenant}/${dialect}/side`, len: SIDE_SYSTEM_TOKENS }, own]),
      ...{ answer: uniform(random, ...SIDE_ANSWER), seconds: 1, secondsToFirstToken: FIRST_TOKEN },
    });
  }
}
