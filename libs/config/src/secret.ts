import { inspect } from 'node:util';

/** What is printed in the place of a secret. */
export const SECRET_MASK = '<secret>';

/** A string that shows itself only to who asks: printing, logging and serialising it give {@link SECRET_MASK}. */
export class Secret {
  readonly #value: string;

  /** @throws TypeError when the value is empty */
  constructor(value: string) {
    if (value === '') throw new TypeError('a secret must not be empty');
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  equals(other: Secret): boolean {
    return this.#value === other.#value;
  }

  toString(): string {
    return SECRET_MASK;
  }

  toJSON(): string {
    return SECRET_MASK;
  }

  [inspect.custom](): string {
    return SECRET_MASK;
  }
}
