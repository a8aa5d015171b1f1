import { ConfigError, type ConfigProblem } from './config-error.js';

/** A key's place in a file, e.g. `["edge", "port"]`. */
export type KeyPath = readonly string[];

/** Collects what is wrong and what is doubtful while a configuration is read, each thing once. */
export class Findings {
  readonly #problems = new Map<string, ConfigProblem>();
  readonly #warnings = new Set<string>();
  /** Dotted path of a value -> the environment variable that it was set by. */
  readonly #variables = new Map<string, string>();
  /** Dotted path of a value -> the path that it was inherited from. */
  readonly #inherited = new Map<string, KeyPath>();

  constructor(
    private readonly source: string,
    private readonly lineOf: (path: KeyPath) => number | null,
  ) {}

  problem(at: KeyPath, message: string): void {
    const path = this.writtenPath(at);
    const dotted = path.join('.');
    const variable = this.#variables.get(dotted);
    const problem = {
      path: dotted,
      message: variable ? `${message} (set by ${variable})` : message,
      line: variable ? null : this.lineOf(path),
    };
    this.#problems.set(`${dotted}\n${message}`, problem);
  }

  warn(message: string): void {
    this.#warnings.add(message);
  }

  /** Remembers that the value at `path` comes from an environment variable. */
  setBy(variable: string, path: KeyPath): void {
    this.#variables.set(path.join('.'), variable);
  }

  /** Remembers that the value at `path` was written at `from`. */
  inheritedFrom(from: KeyPath, path: KeyPath): void {
    this.#inherited.set(path.join('.'), from);
  }

  /** Where the value at `path` was written by its author. */
  writtenPath(path: KeyPath): KeyPath {
    for (let length = path.length; length > 0; length--) {
      const from = this.#inherited.get(path.slice(0, length).join('.'));
      if (from) return [...from, ...path.slice(length)];
    }
    return path;
  }

  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  get hasProblems(): boolean {
    return this.#problems.size > 0;
  }

  hasProblemAt(path: string): boolean {
    return [...this.#problems.values()].some((each) => each.path === path);
  }

  /** Whether there is a problem with a section or with anything in it. */
  hasProblemIn(section: string): boolean {
    return [...this.#problems.values()].some(({ path }) => path === section || path.startsWith(`${section}.`));
  }

  /** @throws ConfigError when there is a problem, with all of them */
  throwIfAny(): void {
    if (this.hasProblems) throw new ConfigError(this.source, [...this.#problems.values()], this.warnings);
  }
}
