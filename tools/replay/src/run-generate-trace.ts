import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { DEFAULT_TRAFFIC, generateLines, TRAFFIC_RANGES, type TrafficOptions } from '@roost/replay';
import { Command, InvalidArgumentError, Option } from 'commander';

import { messagesOf } from './live/namespace-text.js';

/** What was asked for. */
export interface GenerateFlags extends TrafficOptions {
  /** Lines carry their prompts as messages. */
  readonly text?: true;
  readonly out?: string;
}

/** What `--faults` alone means. */
const SOME_FAULTS = 0.02;

/**
 * Runs `generate-trace` with its arguments: lines go to standard output or to a file, gzipped if its name ends in `.gz`. A
 * file that cannot be written is told, and sets the exit code; whoever reads standard output may stop before the end.
 *
 * @param name of the command, for its help
 */
export async function runGenerateTrace(name: string, args: readonly string[]): Promise<void> {
  try {
    await createGenerateCommand(name, generate).parseAsync(args, { from: 'user' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code === 'EPIPE') return;
    console.error(`${name}: ${message}`);
    process.exitCode = 1;
  }
}

/** The command, ready to parse; calls back with what it was asked for. */
export function createGenerateCommand(name: string, run: (flags: GenerateFlags) => Promise<void>): Command {
  return new Command(name)
    .showHelpAfterError(`(${name} --help shows what it takes)`)
    .description('Makes up traffic of coding agents, which `roost replay` reads; the same seed gives the same traffic.')
    .addOption(option('--sessions <n>', 'main agents', 'sessions'))
    .addOption(option('--seed <n>', 'any whole number', 'seed'))
    .addOption(option('--session-interval <s>', 'mean time between session starts', 'sessionInterval'))
    .addOption(option('--arrival-cv <x>', 'how unsteady they are: 1, 2 or 4 is like recorded ones', 'arrivalCv'))
    .addOption(option('--tenants <n>', 'who share nothing; a tenth of them has 70 % of the sessions', 'tenants'))
    .addOption(option('--subagent-share <x>', 'of sessions with sub-agents', 'subagentShare'))
    .addOption(option('--fork-share <x>', "of sub-agents that begin with their parent's history", 'forkShare'))
    .addOption(
      option(
        '--faults [x]',
        `share of sub-agents that say wrongly who they are; ${String(SOME_FAULTS)} without a number`,
        'faults',
      ).preset(String(SOME_FAULTS)),
    )
    .addOption(option('--scale <x>', 'divides prompts and answers, 16 to 64 for small models', 'scale'))
    .addOption(option('--gap-scale <x>', "multiplies users' and tools' pauses", 'gapScale'))
    .addOption(new Option('--text', 'write prompts as messages too; large without --scale'))
    .addOption(new Option('--out <file>', 'gzipped if the name ends in .gz (default: standard output)'))
    .addHelpText(
      'after',
      `\nExamples:\n  $ ${name} --sessions 200 --seed 7 --out trace.jsonl.gz\n  $ ${name} --arrival-cv 4 --fork-share 0.5 --faults\n  $ ${name} --sessions 5 --scale 32 --gap-scale 0.1 --text`,
    )
    .action(async (flags: GenerateFlags) => {
      await run(flags);
    });
}

/** The lines of a file, one at a time: a trace may be larger than the memory. */
export function* generatedLines({ text, ...options }: GenerateFlags): Generator<string, void, undefined> {
  for (const line of generateLines(options))
    yield `${JSON.stringify(text === true ? { ...line, messages: messagesOf(line) } : line)}\n`;
}

async function generate(flags: GenerateFlags): Promise<void> {
  const { out } = flags;
  const lines = Readable.from(generatedLines(flags));
  if (out === undefined) {
    await pipeline(lines, process.stdout, { end: false });
    return;
  }
  const file = createWriteStream(path.resolve(process.env['INIT_CWD'] ?? '.', out));
  await (out.endsWith('.gz') ? pipeline(lines, createGzip(), file) : pipeline(lines, file));
}

function option(flags: string, description: string, name: keyof TrafficOptions): Option {
  const [min, max] = TRAFFIC_RANGES[name];
  const isWhole = name === 'sessions' || name === 'seed' || name === 'tenants';
  const isAny = name === 'seed';
  const range = `from ${String(min)} to ${String(max)}`;
  const parse = (text: string): number => {
    const value = Number(text);
    const isNumber = text.trim() !== '' && value >= min && value <= max;
    if (isNumber && (!isWhole || Number.isSafeInteger(value))) return value;
    throw new InvalidArgumentError(`${isWhole ? 'A whole number' : 'A number'} ${isAny ? '' : `${range} `}is needed.`);
  };
  return new Option(flags, isAny ? description : `${description}, ${range}`)
    .argParser(parse)
    .default(DEFAULT_TRAFFIC[name]);
}
