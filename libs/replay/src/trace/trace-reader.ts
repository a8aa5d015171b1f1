import { EdgeLogRows } from './edge-log/edge-log-rows.js';
import { Fields } from './fields.js';
import { joinTraces } from './join-traces.js';
import { MooncakeRows } from './mooncake/mooncake-rows.js';
import { rowOf } from './parse-trace-row.js';
import { TraceBuilder } from './trace-builder.js';
import { TraceError } from './trace-error.js';
import { TOKENS_PER_BLOCK } from './trace-row.js';
import type { Trace } from './trace.js';

type LineReader = (fields: Fields) => void;

/**
 * Reads files of any format that there is - rows of Weka's shape and of our generator, Mooncake's, logs of edges - and
 * makes one trace of them. What several edges have logged is taken as the traffic of one cluster; beyond that, files share
 * no blocks.
 */
export class TraceReader {
  readonly #builders: TraceBuilder[] = [];
  readonly #edgeLogs = new EdgeLogRows();

  /**
   * Reads one file's lines; blank ones are skipped. The first tells the format.
   *
   * @throws TraceError at the first line that is wrong, and for a file without a request; nothing can be read after that
   */
  async read(lines: AsyncIterable<string>): Promise<void> {
    let line = 0;
    let take: LineReader | null = null;
    for await (const text of lines) {
      line += 1;
      if (text.trim() === '') continue;
      const fields = new Fields(text, line);
      take ??= this.#readerFor(fields);
      take(fields);
    }
    if (take === null) throw new TraceError(line, 'the trace ends here without a request');
  }

  /** All that was read, as one trace. Throws a TraceError for agents whose parents are wrong, and for logs without an answer. */
  finish(): Trace {
    const traces = this.#builders.map((builder) => builder.finish());
    const logged = this.#edgeLogs.finish();
    if (logged !== null) traces.push(logged);
    const trace = joinTraces(traces, TOKENS_PER_BLOCK);
    if (trace.numRequests === 0) throw new TraceError(0, 'no request was answered whose blocks are known');
    return trace;
  }

  #readerFor(first: Fields): LineReader {
    if (first.has('roost_trace')) return this.#edgeLogs.readFile();
    const builder = new TraceBuilder();
    this.#builders.push(builder);
    if (first.has('hash_ids') && first.has('timestamp')) {
      const rows = new MooncakeRows();
      return (fields) => {
        builder.add(rows.next(fields), fields.line);
      };
    }
    return (fields) => {
      builder.add(rowOf(fields), fields.line);
    };
  }
}
