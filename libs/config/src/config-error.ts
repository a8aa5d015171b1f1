/** One thing that is wrong in a configuration. Never quotes a secret. */
export interface ConfigProblem {
  /** Dotted path of the key, empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  /** Line in the file, from 1; null where the value comes from elsewhere. */
  readonly line: number | null;
}

/** A configuration that cannot be used, with everything that is wrong in it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    /** What was read, e.g. a file name. */
    readonly source: string,
    readonly problems: readonly ConfigProblem[],
    /** What would have been warned of, had the configuration been usable. */
    readonly warnings: readonly string[] = [],
  ) {
    super(
      [
        `${source}: ${String(problems.length)} ${problems.length === 1 ? 'problem' : 'problems'} in the configuration`,
        ...problems.map(({ path, message, line }) => {
          const where = line === null ? path : `${path} (line ${String(line)})`;
          return `  ${where.trim() === '' ? '' : `${where.trim()}: `}${message}`;
        }),
      ].join('\n'),
    );
  }
}
