import type { Identity } from '@roost/affinity-auth';
import type { Decision } from '@roost/fleet-router';
import { NO_SPAN, type Span } from '@roost/observability';
import type { ClientRequest } from '@roost/openai-api';
import type { PromptTokens } from '@roost/prompt-pool';
import { type RankChoice, type RoostError, type Timing, type Usage } from '@roost/protocol';

import type { LegAttempt } from './leg-attempt.js';

/** Where a leg went and why. */
export interface LegRecord {
  readonly instance: string;
  readonly decision: Decision;
  readonly reason: string;
  readonly routingKey: string | null;
  readonly attempts: number;
  /** As the worker says once it has taken the request. */
  rank: number | null;
  timing: Timing | null;
  /** Why on that rank; null where the worker does not say. */
  rankChoice: RankChoice | null;
}

/** What is known of a request at its end, for its log line, metrics and explanation. Times are on the clock of `performance.now()`. */
export interface RequestRecord {
  context: LegRecord | null;
  generation: LegRecord | null;
  usage: Usage | null;
  firstTextAt: number | null;
  /** When the last of the answer was known. */
  endedAt: number | null;
  /** Milliseconds of waiting for one of the concurrent places. */
  admissionMs: number | null;
  /** Every attempt at a leg, in the order in which they were placed. */
  readonly attempts: LegAttempt[];
  /** Streams that were taken up again on another instance after text had been sent. */
  resumed: number;
  error: RoostError | null;
}

/** One client request: one deadline, one abort signal, and everything that must be given back when it ends. */
export class ServedRequest {
  /** The prompt in tokens, once that is known; null where nobody needs it here, or it could not be had. */
  prompt: PromptTokens | null = null;
  /** The whole of the request in its trace. */
  span: Span = NO_SPAN;
  readonly record: RequestRecord = {
    context: null,
    generation: null,
    usage: null,
    firstTextAt: null,
    endedAt: null,
    admissionMs: null,
    attempts: [],
    resumed: 0,
    error: null,
  };
  private readonly debts: (() => void)[] = [];

  /**
   * @param id what the client and every log line call the request
   * @param deadline milliseconds of the epoch
   * @param signal aborts with a RoostError when the client goes away or the deadline passes
   */
  constructor(
    readonly id: string,
    readonly client: ClientRequest,
    readonly identity: Identity,
    readonly deadline: number,
    readonly signal: AbortSignal,
  ) {}

  /** Has something given back when the request ends, if not before. The function returned gives it back now; it is given back once. */
  owe(giveBack: () => void): () => void {
    let owed = true;
    const once = (): void => {
      if (!owed) return;
      owed = false;
      giveBack();
    };
    this.debts.push(once);
    return once;
  }

  /** Gives back all that is still owed, last taken first. */
  settle(): void {
    for (let debt = this.debts.pop(); debt !== undefined; debt = this.debts.pop()) debt();
  }
}
