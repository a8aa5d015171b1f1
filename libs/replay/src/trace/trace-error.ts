/** A trace is not one; the message begins with the line at fault. */
export class TraceError extends Error {
  override readonly name = 'TraceError';

  /** @param line counted from 1 */
  constructor(
    readonly line: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(`line ${String(line)}: ${message}`, options);
  }
}

/** A line is not JSON: cut off, if it is a file's last. */
export class NotJsonError extends TraceError {
  constructor(line: number, options?: ErrorOptions) {
    super(line, 'not JSON', options);
  }
}
