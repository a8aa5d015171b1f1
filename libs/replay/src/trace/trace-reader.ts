import { EdgeLogRows } from './edge-log/edge-log-rows.js';
import { Fields } from './fields.js';
import { GeneratedRows } from './generated/generated-rows.js';
import { joinTraces } from './join-traces.js';
import { MooncakeRows } from './mooncake/mooncake-rows.js';
import { rowOf } from './parse-trace-row.js';
import { TraceBuilder } from './trace-builder.js';
import { NotJsonError, TraceError } from './trace-error.js';
import { TOKENS_PER_BLOCK } from './trace-row.js';
import type { Trace } from './trace.js';

/** Takes the lines of one file. */
interface LineReader {
  readonly take: (fields: Fields) => void;
  /** Whether the file's last line may be cut off, because whoever wrote it was ended. */
  readonly mayBeTorn: boolean;
}

/**
 * Reads files of any format that there is - Weka's, our generator's, Mooncake's, logs of edges - and
 * makes one trace of them. What several edges have logged is taken as the traffic of one cluster; beyond that, files share
 * no blocks.
 */
export class TraceReader {
  readonly #builders: { readonly finish: () => Trace }[] = [];
  readonly #edgeLogs = new EdgeLogRows();

  /**
   * Reads one file's lines; blank ones are skipped. The first tells the format. The last line of a log that an edge had no
   * time to write whole is skipped too.
   *
   * @returns the number of that line; null for a file that is whole
   * @throws TraceError at the first line that is wrong, and for a file without a request; nothing can be read after that
   */
  async read(lines: AsyncIterable<string>): Promise<number | null> {
    let line = 0;
    let reader: LineReader | null = null;
    let notJson: NotJsonError | null = null;
    for await (const text of lines) {
      line += 1;
      if (text.trim() === '') continue;
      if (notJson !== null) throw notJson;
      const fields = fieldsOf(text, line);
      if (fields instanceof NotJsonError) {
        notJson = fields;
        continue;
      }
      reader ??= this.#readerFor(fields);
      reader.take(fields);
    }
    if (notJson === null && reader === null) throw new TraceError(line, 'the trace ends here without a request');
    return notJson === null ? null : tornLine(notJson, reader);
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
    if (first.has('roost_trace')) return { take: this.#edgeLogs.readFile(), mayBeTorn: true };
    if (first.has('prefix') && first.has('wait_for')) {
      const rows = new GeneratedRows();
      this.#builders.push(rows);
      return { take: (fields) => rows.read(fields), mayBeTorn: false };
    }
    const builder = new TraceBuilder();
    this.#builders.push(builder);
    const mooncake = first.has('hash_ids') && first.has('timestamp') ? new MooncakeRows() : null;
    const take = (fields: Fields): void => {
      builder.add(mooncake?.next(fields) ?? rowOf(fields), fields.line);
    };
    return { take, mayBeTorn: false };
  }
}

function fieldsOf(text: string, line: number): Fields | NotJsonError {
  try {
    return new Fields(text, line);
  } catch (error) {
    if (error instanceof NotJsonError) return error;
    throw error;
  }
}

/** The number of a last line that is not JSON, where a file may end so. */
function tornLine(last: NotJsonError, reader: LineReader | null): number {
  if (reader?.mayBeTorn === true) return last.line;
  throw last;
}
