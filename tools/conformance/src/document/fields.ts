import { ShapeError } from './shape-error.js';

/** An object of a vector file, read field by field. Each reader throws a ShapeError that names a field which is wrong or missing. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;

  /**
   * @param value the object
   * @param where its place in the file, for messages
   * @throws ShapeError when the value is not an object
   */
  constructor(
    value: unknown,
    readonly where: string,
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new ShapeError(`${where} must be an object, not ${nameOf(value)}`);
    }
    this.#values = { ...value };
  }

  /** The names of the fields. */
  names(): string[] {
    return Object.keys(this.#values);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name);
  }

  /** A field of any kind, which must be there. */
  any(name: string): unknown {
    if (!this.has(name)) throw new ShapeError(`${this.where}.${name} is missing`);
    return this.#values[name];
  }

  text(name: string): string {
    const value = this.any(name);
    if (typeof value !== 'string') throw this.#wrong(name, 'a text', value);
    return value;
  }

  /** A text, or null where it is null or missing. */
  textOrNull(name: string): string | null {
    return this.#isAbsent(name) ? null : this.text(name);
  }

  number(name: string): number {
    const value = this.any(name);
    if (typeof value !== 'number') throw this.#wrong(name, 'a number', value);
    return value;
  }

  /** A number, or null where it is null or missing. */
  numberOrNull(name: string): number | null {
    return this.#isAbsent(name) ? null : this.number(name);
  }

  /** True or false, or null where it is null or missing. */
  booleanOrNull(name: string): boolean | null {
    if (this.#isAbsent(name)) return null;
    const value = this.any(name);
    if (typeof value !== 'boolean') throw this.#wrong(name, 'true or false', value);
    return value;
  }

  /** An integer of any size, written as a number or as a text of digits; null where it is null or missing. */
  bigIntegerOrNull(name: string): bigint | null {
    if (this.#isAbsent(name)) return null;
    const value = this.any(name);
    if (typeof value === 'bigint') return value;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
    if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
    throw this.#wrong(name, 'an integer', value);
  }

  list(name: string): readonly unknown[] {
    return asList(this.any(name), `${this.where}.${name}`);
  }

  texts(name: string): readonly string[] {
    return this.list(name).map((value, index) => {
      if (typeof value !== 'string') throw this.#wrong(`${name}[${String(index)}]`, 'a text', value);
      return value;
    });
  }

  /** A text or a list of texts, or null where it is null or missing. */
  textsOrText(name: string): readonly string[] | string | null {
    return Array.isArray(this.#values[name]) ? this.texts(name) : this.textOrNull(name);
  }

  /** A list of objects. */
  objects(name: string): readonly Fields[] {
    return this.list(name).map((value, index) => new Fields(value, `${this.where}.${name}[${String(index)}]`));
  }

  object(name: string): Fields {
    return new Fields(this.any(name), `${this.where}.${name}`);
  }

  #isAbsent(name: string): boolean {
    return (this.#values[name] ?? null) === null;
  }

  #wrong(name: string, wanted: string, value: unknown): ShapeError {
    return new ShapeError(`${this.where}.${name} must be ${wanted}, not ${nameOf(value)}`);
  }
}

/** The value as a list; throws a ShapeError when it is none. */
export function asList(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ShapeError(`${where} must be a list, not ${nameOf(value)}`);
  return value;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
