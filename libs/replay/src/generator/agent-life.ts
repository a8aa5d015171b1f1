import { lognormal, uniform } from '../random/distributions.js';
import type { Random } from '../random/random.js';
import type { TraceRow } from '../trace/trace-row.js';

import type { AgentProfile } from './agent-profile.js';
import type { GrowingPrompt } from './growing-prompt.js';

/** Who an agent is, as its rows say it. */
export type AgentIdentity = Pick<TraceRow, 'session' | 'agent' | 'parent' | 'model'> & { readonly type: string | null };

/** Share of requests that append a long file or tool output, and how long, in tokens (agent-traffic reference 3.1). */
const LONG_SHARE = 0.02;
const LONG_TOKENS = [20_000, 66_000] as const;

/** One agent on its way from request to request. Times are in seconds from the session's start. */
export class AgentLife {
  readonly numRequests: number;
  #seq = 0;
  #answeredAt: number;

  /** @param start when the first request is made */
  constructor(
    private readonly random: Random,
    private readonly profile: AgentProfile,
    private readonly identity: AgentIdentity,
    readonly prompt: GrowingPrompt,
    start: number,
  ) {
    const requests = Math.round(lognormal(random, profile.requests));
    this.numRequests = Math.min(Math.max(1, requests), profile.mostRequests);
    this.#answeredAt = start;
  }

  /** Requests made so far. */
  get seq(): number {
    return this.#seq;
  }

  /** When the latest answer was complete; before that, the start. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  /** Tokens that the next prompt has more than the last. */
  appendedTokens(): number {
    if (this.random() < LONG_SHARE) return Math.round(uniform(this.random, ...LONG_TOKENS));
    return Math.max(1, Math.round(lognormal(this.random, this.profile.appended)));
  }

  /** Seconds that a tool takes. */
  toolPause(): number {
    return lognormal(this.random, this.profile.tool);
  }

  /** Makes the next request with the prompt as it is. */
  ask(trigger: TraceRow['trigger'], pause: number): TraceRow {
    const { session, agent, parent, model, type } = this.identity;
    const seconds = lognormal(this.random, this.profile.request);
    const row: TraceRow = {
      session,
      agent,
      parent,
      ...(type === null ? {} : { subagent_type: type }),
      seq: this.#seq,
      t: rounded(this.#answeredAt + pause),
      model,
      out: Math.max(1, Math.round(lognormal(this.random, this.profile.answer))),
      api_s: rounded(seconds),
      think_s: this.#seq === 0 ? 0 : rounded(pause),
      trigger,
      ...this.prompt.tell(),
      ids: 'global',
    };
    this.#seq += 1;
    this.#answeredAt += pause + seconds;
    return row;
  }
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
