import { NotJsonError, TraceError } from './trace-error.js';

/** The fields of one line of a trace, each read as what it has to be. Every reading throws a TraceError that names its field. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;

  /** @throws TraceError unless the line is a JSON object */
  constructor(
    text: string,
    readonly line: number,
  ) {
    this.#values = parseObject(text, line);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name);
  }

  /** Whether a field is not there, or null. */
  isAbsent(name: string): boolean {
    return (this.#values[name] ?? null) === null;
  }

  text(name: string): string {
    const value = this.#values[name];
    return typeof value === 'string' && value !== '' ? value : this.refuse(name, 'a text');
  }

  /** A text of at most so many UTF-16 units. */
  name(name: string, longest: number): string {
    const value = this.text(name);
    return value.length <= longest ? value : this.refuse(name, `a text of at most ${String(longest)} characters`);
  }

  /** A text, or null where there is none. */
  textOrNull(name: string): string | null {
    return this.isAbsent(name) ? null : this.text(name);
  }

  amount(name: string): number {
    const value = this.#values[name];
    return isFrom(value, 0) ? value : this.refuse(name, 'a number of at least 0');
  }

  whole(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.#values[name];
    return isWhole(value, min, max) ? value : this.refuse(name, `a whole number from ${String(min)} to ${String(max)}`);
  }

  oneOf<Name extends string>(name: string, names: readonly Name[]): Name {
    return names.find((each) => each === this.#values[name]) ?? this.refuse(name, `one of ${names.join(', ')}`);
  }

  /** A list of what `isItem` accepts, of at most so many. */
  list<Item>(
    name: string,
    isItem: (value: unknown) => value is Item,
    expected: string,
    most = Infinity,
  ): readonly Item[] {
    const value = this.#values[name];
    if (!Array.isArray(value) || !value.every(isItem)) return this.refuse(name, expected);
    return value.length <= most ? value : this.refuse(name, `${expected}, at most ${String(most)} of them`);
  }

  private refuse(name: string, expected: string): never {
    const value = JSON.stringify(this.#values[name]) as string | undefined;
    throw new TraceError(this.line, `${name} must be ${expected}, not ${value?.slice(0, 60) ?? 'absent'}`);
  }
}

/** Whether a value is a whole number of at least `min` and at most `max`. */
export function isWhole(value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && isFrom(value, min) && value <= max;
}

function isFrom(value: unknown, min: number): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= min;
}

function parseObject(text: string, line: number): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new NotJsonError(line, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TraceError(line, 'not an object');
  return value as Readonly<Record<string, unknown>>;
}
