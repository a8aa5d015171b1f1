/** A router's `args` do not make a router; the message names the key. */
export class RouterArgumentError extends Error {
  override readonly name = 'RouterArgumentError';

  constructor(
    readonly key: string,
    expected: string,
    actual: unknown,
  ) {
    super(`${key} must be ${expected}, not ${describe(actual)}`);
  }
}

/** Allowed values, both ends included. */
export interface NumberRange {
  readonly min: number;
  readonly max?: number;
}

/**
 * The `args` of a router section, read key by key with their defaults; absent and null are the default. Remembers what
 * was read, so that the rest can be reported.
 */
export class RouterArguments {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #read = new Set<string>();

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** True or false; throws a RouterArgumentError for anything else. */
  boolean(key: string, fallback: boolean): boolean {
    const value = this.#value(key) ?? fallback;
    if (typeof value !== 'boolean') throw new RouterArgumentError(key, 'true or false', value);
    return value;
  }

  /** A finite number in the range; throws a RouterArgumentError for anything else. */
  number<Fallback extends number | null>(key: string, fallback: Fallback, range: NumberRange): number | Fallback {
    return this.#number(key, fallback, range, 'a number', Number.isFinite);
  }

  /** An integer in the range; throws a RouterArgumentError for anything else. */
  integer<Fallback extends number | null>(key: string, fallback: Fallback, range: NumberRange): number | Fallback {
    return this.#number(key, fallback, range, 'an integer', Number.isSafeInteger);
  }

  /** The keys that were given and never read, as they were given. */
  unread(): string[] {
    return Object.keys(this.#values).filter((key) => !this.#read.has(key));
  }

  #value(key: string): unknown {
    this.#read.add(key);
    return Object.hasOwn(this.#values, key) ? this.#values[key] : undefined;
  }

  #number<Fallback extends number | null>(
    key: string,
    fallback: Fallback,
    { min, max = Infinity }: NumberRange,
    kind: string,
    isKind: (value: unknown) => boolean,
  ): number | Fallback {
    const value = this.#value(key) ?? fallback;
    if (value === fallback) return fallback;
    if (typeof value === 'number' && isKind(value)) {
      if (value >= min && value <= max) return value;
    }
    const bounds = max === Infinity ? `of at least ${String(min)}` : `from ${String(min)} to ${String(max)}`;
    throw new RouterArgumentError(key, `${kind} ${bounds}`, value);
  }
}

function describe(value: unknown): string {
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
