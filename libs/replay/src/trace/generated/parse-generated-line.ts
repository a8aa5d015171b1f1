import { type Fields, isWhole } from '../fields.js';
import { TraceError } from '../trace-error.js';
import { MOST_TOKENS } from '../trace-row.js';

import { DIALECTS, FAULTS, type GeneratedLine, KINDS, type PrefixPart, TRIGGERS } from './generated-line.js';

/** The longest name of anything, in UTF-16 units; more parts of a prompt, or requests waited for, than ever make sense. */
const LONGEST_NAME = 1024;
const MOST_PARTS = 4096;

/** The fields of a generated line, as they are said; others are left away. Throws a TraceError that names the field at fault. */
export function generatedLineOf(fields: Fields): GeneratedLine {
  const inputTokens = fields.whole('in', 1, MOST_TOKENS);
  return {
    id: fields.name('id', LONGEST_NAME),
    t: fields.amount('t'),
    tenant: fields.name('tenant', LONGEST_NAME),
    model: fields.name('model', LONGEST_NAME),
    root: fields.name('root', LONGEST_NAME),
    agent: fields.name('agent', LONGEST_NAME),
    parent: fields.isAbsent('parent') ? null : fields.name('parent', LONGEST_NAME),
    type: fields.isAbsent('type') ? null : fields.name('type', LONGEST_NAME),
    kind: fields.oneOf('kind', KINDS),
    depth: fields.whole('depth', 0, MOST_PARTS),
    turn: fields.whole('turn', 0),
    trigger: fields.oneOf('trigger', TRIGGERS),
    wait_for: fields.list('wait_for', isName, 'a list of ids', MOST_PARTS),
    delay_s: fields.amount('delay_s'),
    in: inputTokens,
    out: fields.whole('out', 0, MOST_TOKENS),
    prefix: prefixOf(fields, inputTokens),
    dialect: fields.oneOf('dialect', DIALECTS),
    ...(fields.isAbsent('fault') ? {} : { fault: fields.oneOf('fault', FAULTS) }),
  };
}

function prefixOf(fields: Fields, inputTokens: number): readonly PrefixPart[] {
  const parts = fields.list('prefix', isPart, 'a list of {ns, len}, a name and a whole number from 1', MOST_PARTS);
  const given = parts.reduce((sum, { len }) => sum + len, 0);
  if (given === inputTokens) return parts.map(({ ns, len }) => ({ ns, len }));
  throw new TraceError(fields.line, `prefix has ${String(given)} tokens, where in is ${String(inputTokens)}`);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME;
}

function isPart(value: unknown): value is PrefixPart {
  if (typeof value !== 'object' || value === null) return false;
  const { ns, len } = value as Readonly<Record<string, unknown>>;
  return isName(ns) && isWhole(len, 1, MOST_TOKENS);
}
