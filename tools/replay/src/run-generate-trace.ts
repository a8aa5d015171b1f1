import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { generateRows } from '@roost/replay';
import { Command, InvalidArgumentError, Option } from 'commander';

interface Flags {
  readonly sessions: number;
  readonly seed: number;
  readonly out?: string;
}

/**
 * Runs `generate-trace` with its arguments: rows go to standard output or to a file, gzipped if its name ends in `.gz`. A
 * file that cannot be written is told, and sets the exit code.
 *
 * @param name of the command, for its help
 */
export async function runGenerateTrace(name: string, args: readonly string[]): Promise<void> {
  try {
    await createGenerateCommand(name, generate).parseAsync(args, { from: 'user' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    console.error(`${name}: ${message}`);
    process.exitCode = 1;
  }
}

/** The command, ready to parse; calls back with what it was asked for. */
export function createGenerateCommand(name: string, run: (flags: Flags) => Promise<void>): Command {
  return new Command(name)
    .showHelpAfterError(`(${name} --help shows what it takes)`)
    .description('Makes up traffic of coding agents, which `roost replay` reads; the same seed gives the same traffic.')
    .addOption(new Option('--sessions <n>', 'main agents').argParser(atLeast(1)).default(50))
    .addOption(new Option('--seed <n>', 'any whole number').argParser(atLeast(Number.MIN_SAFE_INTEGER)).default(1))
    .addOption(new Option('--out <file>', 'gzipped if the name ends in .gz (default: standard output)'))
    .addHelpText('after', `\nExample:\n  $ ${name} --sessions 200 --seed 7 --out trace.jsonl.gz`)
    .action(async (flags: Flags) => {
      await run(flags);
    });
}

/** The rows as lines, one at a time: a trace may be larger than the memory. */
export function* generatedLines(options: Parameters<typeof generateRows>[0]): Generator<string, void, undefined> {
  for (const row of generateRows(options)) yield `${JSON.stringify(row)}\n`;
}

async function generate({ sessions, seed, out }: Flags): Promise<void> {
  const lines = Readable.from(generatedLines({ sessions, seed }));
  if (out === undefined) {
    await pipeline(lines, process.stdout, { end: false });
    return;
  }
  const file = createWriteStream(path.resolve(process.env['INIT_CWD'] ?? '.', out));
  await (out.endsWith('.gz') ? pipeline(lines, createGzip(), file) : pipeline(lines, file));
}

function atLeast(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= min) return value;
    throw new InvalidArgumentError(min === 1 ? 'A whole number of at least 1 is needed.' : 'A whole number is needed.');
  };
}
