import { moveSession } from './move-session.js';
import type { Trace } from './trace.js';

/**
 * The trace with every session so many times, as different sessions that share no block with one another: more users of
 * the same habits.
 */
export function repeatTrace(trace: Trace, times: number): Trace {
  if (!Number.isSafeInteger(times) || times < 1)
    throw new RangeError(`a trace is repeated a whole number of times, not ${String(times)}`);
  return {
    ...trace,
    sessions: Array.from({ length: times }, (_, copy) =>
      trace.sessions.map((session) =>
        copy === 0 ? session : moveSession(session, `${session.id}#${String(copy + 1)}`, trace.numBlocks * copy),
      ),
    ).flat(),
    numBlocks: trace.numBlocks * times,
    numRequests: trace.numRequests * times,
  };
}
