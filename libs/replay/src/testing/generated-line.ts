import type { GeneratedLine } from '../trace/generated/generated-line.js';
import { GeneratedRows } from '../trace/generated/generated-rows.js';
import type { Trace } from '../trace/trace.js';

/** A line of our generator's format with everything that a test does not care about; `in` fits the prefix unless given. */
export function generatedLine(fields: Partial<GeneratedLine>): GeneratedLine {
  const prefix = fields.prefix ?? [{ ns: 't/system', len: 64 }];
  return {
    id: 's#0',
    t: 0,
    tenant: 't',
    model: 'm',
    root: 's',
    agent: 's',
    parent: null,
    type: null,
    kind: 'main',
    depth: 0,
    turn: 0,
    trigger: 'user',
    wait_for: [],
    delay_s: 0,
    in: prefix.reduce((sum, { len }) => sum + len, 0),
    out: 1,
    dialect: 'A',
    ...fields,
    prefix,
  };
}

/** The trace of such lines. */
export function generatedTraceOf(...lines: readonly GeneratedLine[]): Trace {
  const rows = new GeneratedRows();
  lines.forEach((line, index) => {
    rows.add(line, index + 1);
  });
  return rows.finish();
}
