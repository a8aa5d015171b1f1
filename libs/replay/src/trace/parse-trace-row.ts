import { Fields, isWhole } from './fields.js';
import { TraceError } from './trace-error.js';
import { type BlockIds, MOST_TOKENS, TOKENS_PER_BLOCK, type TraceRow, type Trigger } from './trace-row.js';

/** One line of a trace as a row; fields that are not of the row are left away. Throws a TraceError that names the field at fault. */
export function parseTraceRow(text: string, line: number): TraceRow {
  return rowOf(new Fields(text, line));
}

/** The same of a line that was taken apart. */
export function rowOf(fields: Fields): TraceRow {
  const inputTokens = fields.whole('in', 1, MOST_TOKENS);
  const keep = fields.whole('keep', 0, MOST_TOKENS);
  return {
    session: fields.text('session'),
    agent: fields.text('agent'),
    parent: fields.textOrNull('parent'),
    ...(fields.isAbsent('subagent_type') ? {} : { subagent_type: fields.text('subagent_type') }),
    seq: fields.whole('seq', 0),
    t: fields.amount('t'),
    ...(fields.isAbsent('start') ? {} : { start: fields.amount('start') }),
    model: fields.text('model'),
    in: inputTokens,
    out: fields.whole('out', 0, MOST_TOKENS),
    ...(fields.isAbsent('api_s') ? {} : { api_s: fields.amount('api_s') }),
    ...(fields.isAbsent('think_s') ? {} : { think_s: fields.amount('think_s') }),
    trigger: fields.oneOf<Trigger>('trigger', ['user', 'tool']),
    keep,
    new: blockIds(fields, Math.floor(inputTokens / TOKENS_PER_BLOCK) - keep),
    ...(fields.isAbsent('ids') ? {} : { ids: fields.oneOf('ids', ['session', 'global']) }),
  };
}

/** Exactly so many ids: how many there are is known from the prompt's length, and looked at before any is made. */
function blockIds(fields: Fields, count: number): readonly BlockIds[] {
  const value = fields.list('new', isBlockIds, 'a list of block ids and of [start, count]');
  const given = value.reduce<number>((sum, ids) => sum + (typeof ids === 'number' ? 1 : ids[1]), 0);
  if (given === count) return value;
  const blocks = `${String(given)} blocks beside the ones kept`;
  throw new TraceError(fields.line, `new has ${blocks}, where a prompt of that length has ${String(count)}`);
}

function isBlockIds(value: unknown): value is BlockIds {
  if (!Array.isArray(value)) return isWhole(value, 0);
  return value.length === 2 && isWhole(value[0], 0) && isWhole(value[1], 1) && isWhole(value[0] + value[1], 0);
}
