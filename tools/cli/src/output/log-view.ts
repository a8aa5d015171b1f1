import { createColors } from 'picocolors';

import { harmless } from './harmless.js';
import { type LogLine, parseLogLine } from './log-line.js';
import { isRequestEntry, requestLine } from './request-line.js';

/** How much of the children's logs is shown: everything, requests and warnings, or errors alone. */
export type Verbosity = 'verbose' | 'normal' | 'quiet';

/** picocolors, with colours or without. */
export type Colors = ReturnType<typeof createColors>;

/** Colours where a terminal shows them, none in a pipe or where NO_COLOR asks for none. */
export function colorsFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): Colors {
  const wanted = stream.isTTY === true && !env['NO_COLOR'];
  return createColors(wanted);
}

/** Turns the lines of several children into lines for a person: each with its child's name, log entries made readable. */
export class LogView {
  private readonly prefixes: ReadonlyMap<string, string>;

  constructor(
    names: readonly string[],
    private readonly verbosity: Verbosity,
    private readonly colors: Colors,
  ) {
    const width = Math.max(0, ...names.map((name) => name.length));
    const { cyan, magenta, green, blue, yellow } = colors;
    const hues = [cyan, magenta, green, blue, yellow];
    this.prefixes = new Map(
      names.map((name, index) => {
        const hue = hues[index % hues.length] ?? cyan;
        return [name, hue(name.padEnd(width))];
      }),
    );
  }

  /** The line to print, or undefined for one that is not shown. */
  format(name: string, line: string): string | undefined {
    const parsed = parseLogLine(line);
    if (!this.isShown(parsed)) return undefined;
    const prefix = this.prefixes.get(name) ?? name;
    return `${prefix} ${parsed.kind === 'text' ? parsed.text : this.entry(parsed)}`;
  }

  private isShown(line: LogLine): boolean {
    if (this.verbosity === 'verbose') return true;
    // A child writes plain text only when it could not log: why it ended.
    if (line.kind === 'text') return line.text !== '';
    if (isAtLeast(line.level, 'error')) return true;
    if (this.verbosity === 'quiet') return false;
    return isAtLeast(line.level, 'warn') || isRequestEntry(line.fields);
  }

  private entry(entry: Entry): string {
    const { dim, red, yellow } = this.colors;
    const clock = harmless(entry.time.slice(11, 23));
    const level = harmless(entry.level).toUpperCase().padEnd(5);
    const hue = isAtLeast(entry.level, 'error') ? red : isAtLeast(entry.level, 'warn') ? yellow : dim;
    const rest =
      isRequestEntry(entry.fields) && this.verbosity !== 'verbose' ? requestLine(entry.fields) : fieldsOf(entry);
    return [dim(clock), hue(level), harmless(entry.message), dim(harmless(rest))]
      .filter((part) => part !== '')
      .join(' ');
  }
}

type Entry = Extract<LogLine, { kind: 'entry' }>;

// The prefix names the child already.
const unneeded = new Set(['app', 'name', 'pid', 'hostname']);

const severity = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

function isAtLeast(level: string, floor: string): boolean {
  return severity.indexOf(level) >= severity.indexOf(floor);
}

function fieldsOf({ fields }: Entry): string {
  return Object.entries(fields)
    .filter(([name]) => !unneeded.has(name))
    .map(([name, value]) => `${name}=${show(value)}`)
    .join(' ');
}

function show(value: unknown): string {
  if (typeof value === 'string') return /[\s"=]/.test(value) || value === '' ? JSON.stringify(value) : value;
  if (isError(value)) return JSON.stringify(value.message);
  return JSON.stringify(value);
}

function isError(value: unknown): value is { message: string } {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}
