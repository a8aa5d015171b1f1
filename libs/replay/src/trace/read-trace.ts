import { TraceReader } from './trace-reader.js';
import type { Trace } from './trace.js';

/**
 * Reads a trace from the lines of one JSON Lines file, of any format that a TraceReader knows; blank ones are skipped.
 *
 * @throws TraceError at the first line that is wrong, and for a file without a request
 */
export async function readTrace(lines: AsyncIterable<string>): Promise<Trace> {
  const reader = new TraceReader();
  await reader.read(lines);
  return reader.finish();
}
