import type { Engine } from '@roost/engine';
import type { Span } from '@roost/observability';
import type { RankChoice } from '@roost/protocol';

import { codeOf } from '../metrics/leg-spans.js';
import type { RankPlacement, RankQueue, RankRequest } from '../scheduling/rank-queue.js';

/** Where a leg runs, and why there. */
export interface RankOfLeg extends RankPlacement {
  readonly choice: RankChoice;
}

/**
 * Waits for a rank and runs a job on it. The wait is a span within the leg's, also where it ends without a rank.
 *
 * @throws what waiting for a rank throws, and whatever the job throws
 */
export async function runOnRank<T>(
  { queue, engine }: { readonly queue: RankQueue; readonly engine: Pick<Engine, 'rankStates'> },
  request: RankRequest,
  { span, signal }: { readonly span: Span; readonly signal: AbortSignal },
  job: (rank: RankOfLeg) => Promise<T>,
): Promise<T> {
  const wait = span.child('queue');
  try {
    return await queue.run(request, signal, (placement) => {
      wait.end('ok');
      span.set({ 'roost.rank': placement.rank, 'roost.rank_decision': placement.decision });
      return job({ ...placement, choice: choiceOf(placement, engine) });
    });
  } catch (error) {
    wait.end(codeOf(error));
    throw error;
  }
}

function choiceOf({ decision }: RankPlacement, engine: Pick<Engine, 'rankStates'>): RankChoice {
  const states = engine.rankStates().toSorted((one, other) => one.rank - other.rank);
  const ranks = states.map(({ numActiveRequests, numActiveTokens }) => {
    return { activeRequests: numActiveRequests, activeTokens: numActiveTokens };
  });
  return { decision, ranks };
}
