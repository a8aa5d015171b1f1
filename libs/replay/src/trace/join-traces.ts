import { moveSession } from './move-session.js';
import type { Trace } from './trace.js';

/** Several traces as one; a block of one is never one of another. Their block sizes must be equal. */
export function joinTraces(traces: readonly Trace[], tokensPerBlock: number): Trace {
  const [only] = traces;
  if (traces.length === 1 && only !== undefined) return only;
  let [numBlocks, numRequests] = [0, 0];
  const sessions = traces.flatMap((trace, index) => {
    const moved = trace.sessions.map((session) =>
      moveSession(session, `${String(index + 1)}:${session.id}`, numBlocks),
    );
    numBlocks += trace.numBlocks;
    numRequests += trace.numRequests;
    return moved;
  });
  return { sessions, numBlocks, numRequests, tokensPerBlock };
}
