import { parseTraceRow } from './parse-trace-row.js';
import { TraceBuilder } from './trace-builder.js';
import { TraceError } from './trace-error.js';
import type { Trace } from './trace.js';

/**
 * Reads a trace from the lines of a JSON Lines file; blank ones are skipped.
 *
 * @throws TraceError at the first line that is wrong, and for a file without a request
 */
export async function readTrace(lines: AsyncIterable<string>): Promise<Trace> {
  const builder = new TraceBuilder();
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() !== '') builder.add(parseTraceRow(text, line), line);
  }
  const trace = builder.finish();
  if (trace.numRequests === 0) throw new TraceError(line, 'the trace ends here without a request');
  return trace;
}
