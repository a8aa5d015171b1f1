import { TraceError } from './trace-error.js';
import { type BlockIds, TOKENS_PER_BLOCK, type TraceRow, type Trigger } from './trace-row.js';

/** The longest prompt and answer that a trace may have, in tokens. */
const MOST_TOKENS = 16_777_216;

/** One line of a trace as a row; fields that are not of the row are left away. Throws a TraceError that names the field at fault. */
export function parseTraceRow(text: string, line: number): TraceRow {
  const fields = new Fields(parseObject(text, line), line);
  const inputTokens = fields.whole('in', 1, MOST_TOKENS);
  const keep = fields.whole('keep', 0, MOST_TOKENS);
  return {
    session: fields.text('session'),
    agent: fields.text('agent'),
    parent: fields.isAbsent('parent') ? null : fields.text('parent'),
    ...(fields.isAbsent('subagent_type') ? {} : { subagent_type: fields.text('subagent_type') }),
    seq: fields.whole('seq', 0),
    t: fields.amount('t'),
    model: fields.text('model'),
    in: inputTokens,
    out: fields.whole('out', 0, MOST_TOKENS),
    ...(fields.isAbsent('api_s') ? {} : { api_s: fields.amount('api_s') }),
    ...(fields.isAbsent('think_s') ? {} : { think_s: fields.amount('think_s') }),
    trigger: fields.oneOf<Trigger>('trigger', ['user', 'tool']),
    keep,
    new: fields.blockIds('new', Math.floor(inputTokens / TOKENS_PER_BLOCK) - keep),
    ...(fields.isAbsent('ids') ? {} : { ids: fields.oneOf('ids', ['session', 'global']) }),
  };
}

function parseObject(text: string, line: number): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TraceError(line, 'not JSON', { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TraceError(line, 'not an object');
  return value as Readonly<Record<string, unknown>>;
}

/** The fields of one line, each read as what it has to be. */
class Fields {
  constructor(
    private readonly values: Readonly<Record<string, unknown>>,
    private readonly line: number,
  ) {}

  isAbsent(name: string): boolean {
    return (this.values[name] ?? null) === null;
  }

  text(name: string): string {
    const value = this.values[name];
    return typeof value === 'string' && value !== '' ? value : this.refuse(name, 'a text');
  }

  amount(name: string): number {
    const value = this.values[name];
    return isFrom(value, 0) ? value : this.refuse(name, 'a number of at least 0');
  }

  whole(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.values[name];
    return isWhole(value, min, max) ? value : this.refuse(name, `a whole number from ${String(min)} to ${String(max)}`);
  }

  oneOf<Name extends string>(name: string, names: readonly Name[]): Name {
    return names.find((each) => each === this.values[name]) ?? this.refuse(name, `one of ${names.join(', ')}`);
  }

  /** Exactly so many ids: how many there are is known from the prompt's length, and looked at before any is made. */
  blockIds(name: string, count: number): readonly BlockIds[] {
    const value = this.values[name];
    const isList = Array.isArray(value) && value.every(isBlockIds);
    if (!isList) return this.refuse(name, 'a list of block ids and of [start, count]');
    const given = value.reduce<number>((sum, ids) => sum + (typeof ids === 'number' ? 1 : ids[1]), 0);
    if (given !== count) {
      const blocks = `${String(given)} blocks beside the ones kept`;
      throw new TraceError(this.line, `${name} has ${blocks}, where a prompt of that length has ${String(count)}`);
    }
    return value;
  }

  private refuse(name: string, expected: string): never {
    const value = JSON.stringify(this.values[name]) as string | undefined;
    throw new TraceError(this.line, `${name} must be ${expected}, not ${value?.slice(0, 60) ?? 'absent'}`);
  }
}

function isBlockIds(value: unknown): value is BlockIds {
  if (!Array.isArray(value)) return isWhole(value, 0);
  return value.length === 2 && isWhole(value[0], 0) && isWhole(value[1], 1) && isWhole(value[0] + value[1], 0);
}

function isWhole(value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && isFrom(value, min) && value <= max;
}

function isFrom(value: unknown, min: number): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= min;
}
