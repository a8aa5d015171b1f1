import { DEFAULT_REPLAY_OPTIONS, type Policy, type ReplayOptions } from '@roost/replay';
import { Command, InvalidArgumentError, Option } from 'commander';

import { addLiveOptions, type LiveFlags, liveOptionsOf } from './live/live-flags.js';
import type { LiveOptions } from './live/live-options.js';
import type { TraceChoice } from './load-trace.js';
import { allBaselinesOption, chosenPolicies, policiesOption, type PolicyFlags } from './policies/policy-options.js';

/** What was asked for. */
export interface ReplayRequest {
  readonly trace: TraceChoice;
  /** How often each session is replayed. */
  readonly copies: number;
  readonly policies: readonly Policy[];
  readonly options: ReplayOptions;
  readonly json: boolean;
  /** A file to write a report to. */
  readonly html: string | null;
  /** Null: in virtual time. */
  readonly live: LiveOptions | null;
}

/** The options as commander gives them. */
interface Flags
  extends
    Omit<ReplayOptions, 'sessionInterval' | 'openLoop' | 'oracleHorizons' | 'generationCapacityTokens'>,
    LiveFlags,
    PolicyFlags {
  readonly generationCapacityTokens?: number;
  /** Seconds. */
  readonly horizons: readonly number[];
  readonly trace: readonly string[];
  readonly generate?: number;
  readonly copies: number;
  readonly sessionInterval: number;
  readonly openLoop?: true;
  readonly json?: true;
  readonly html?: string;
}

const DEFAULTS = DEFAULT_REPLAY_OPTIONS;

/** The command, ready to parse; calls back with what it was asked for. Refuses bad arguments by itself, with exit code 1. */
export function createReplayCommand(name: string, run: (request: ReplayRequest) => Promise<void>): Command {
  const command = traceOptions(new Command(name))
    .showHelpAfterError(`(${name} --help shows what it takes)`)
    .description(
      'Replays traffic of coding agents in virtual time over the routers, caches and ranks that production runs, and shows for each routing policy how much of the reusable prefix tokens it reuses.',
    )
    .addOption(number('--instances <n>', 'context instances', DEFAULTS.instances, whole))
    .addOption(number('--ranks-per-instance <n>', 'ADP ranks of an instance', DEFAULTS.ranksPerInstance, whole))
    .addOption(capacity('--capacity-tokens <n>', 'KV cache of a rank').default(Infinity, 'unlimited'))
    .addOption(number('--generation-instances <n>', 'generation instances', DEFAULTS.generationInstances, whole))
    .addOption(
      number('--generation-ranks-per-instance <n>', 'ADP ranks of one', DEFAULTS.generationRanksPerInstance, whole),
    )
    .addOption(capacity('--generation-capacity-tokens <n>', 'the same of theirs (default: as much)'))
    .addOption(number('--max-batch-size <n>', 'requests of a rank in an iteration', DEFAULTS.maxBatchSize, whole))
    .addOption(number('--max-num-tokens <n>', 'tokens of a rank in an iteration', DEFAULTS.maxNumTokens, whole))
    .addOption(perSecond('--prefill-tokens-per-second <n>', 'of one rank', DEFAULTS.prefillTokensPerSecond))
    .addOption(number('--decode-step-ms <ms>', 'time of an answer token', DEFAULTS.decodeStepMs, amount))
    .addOption(
      perSecond(
        '--kv-bandwidth-bytes-per-second <n>',
        'of a rank, to send KV caches',
        DEFAULTS.kvBandwidthBytesPerSecond,
      ),
    )
    .addOption(number('--kv-bytes-per-token <n>', "size of a token's KV cache", DEFAULTS.kvBytesPerToken, whole))
    .addOption(horizons())
    .addOption(new Option('--json', 'print the numbers as JSON'))
    .addOption(new Option('--html <file>', 'write a report with charts, one page that needs nothing else'))
    .addHelpText(
      'after',
      `\nExamples:\n  $ ${name}\n  $ ${name} --policies conversation,conversation+parent --copies 20 --json\n  $ ${name} edge.jsonl --policies policies.yaml --html report.html`,
    )
    .action(async (files: readonly string[], flags: Flags, command: Command) => {
      await run(requestOf(files, flags, command));
    });
  return addLiveOptions(command, { whole, positive });
}

function traceOptions(command: Command): Command {
  return command
    .argument(
      '[traces...]',
      'JSON Lines, plain or gzipped: recorded, generated or logged by edges; all are one traffic',
    )
    .addOption(
      new Option('--trace <file>', 'the same, as an option')
        .argParser((file: string, files: readonly string[]) => [...files, file])
        .default([], 'the recorded one, if there'),
    )
    .addOption(new Option('--generate <sessions>', 'make a trace up').argParser(whole).conflicts('trace'))
    .addOption(number('--copies <n>', 'replay every session so many times, as different ones', 1, whole))
    .addOption(policiesOption())
    .addOption(allBaselinesOption())
    .addOption(
      number('--session-interval <s>', 'mean time between session starts', DEFAULTS.sessionInterval / 1000, amount),
    )
    .addOption(number('--think-scale <x>', "multiplies users' and tools' pauses", DEFAULTS.thinkScale, amount))
    .addOption(new Option('--open-loop', 'send at recorded times, whatever answers take'))
    .addOption(number('--seed <n>', 'of session starts and generated traces', DEFAULTS.seed, anyWhole));
}

function requestOf(named: readonly string[], flags: Flags, command: Command): ReplayRequest {
  const { trace, generate, copies, json, html } = flags;
  return {
    trace: { files: [...named, ...trace], generate, seed: flags.seed, sessionInterval: flags.sessionInterval },
    copies,
    policies: chosenPolicies(flags),
    options: fleetOptionsOf(flags),
    json: json ?? false,
    html: html ?? null,
    live: liveOf(flags, command),
  };
}

function fleetOptionsOf({ sessionInterval, horizons, ...flags }: Flags): ReplayOptions {
  const inMs = { sessionInterval: sessionInterval * 1000, oracleHorizons: horizons.map((seconds) => seconds * 1000) };
  const { generationCapacityTokens = flags.capacityTokens, openLoop = false } = flags;
  const all: ReplayOptions = { ...flags, ...inMs, generationCapacityTokens, openLoop };
  // Flags of other things are none of the fleet's.
  const names = Object.keys(DEFAULTS) as (keyof ReplayOptions)[];
  return Object.fromEntries(names.map((name) => [name, all[name]])) as unknown as ReplayOptions;
}

function liveOf(flags: Flags, command: Command): LiveOptions | null {
  try {
    return liveOptionsOf(flags);
  } catch (error) {
    if (error instanceof InvalidArgumentError) command.error(`error: ${error.message}`);
    throw error;
  }
}

function number(flags: string, description: string, fallback: number, parse: (text: string) => number): Option {
  return new Option(flags, description).argParser(parse).default(fallback);
}

function perSecond(flags: string, description: string, fallback: number): Option {
  return number(flags, description, fallback, positive);
}

function capacity(flags: string, description: string): Option {
  return new Option(flags, `${description}, or \`unlimited\``).argParser((text: string) =>
    text === 'unlimited' ? Infinity : whole(text),
  );
}

function horizons(): Option {
  return new Option(
    '--horizons <s,...>',
    'how many seconds after its last use an oracle may reuse a block, or `unlimited`; the first is shown by class',
  )
    .argParser((text: string) => text.split(',').map((each) => (each === 'unlimited' ? Infinity : positive(each))))
    .default(
      DEFAULTS.oracleHorizons.map((ms) => ms / 1000),
      'unlimited,3600,300',
    );
}

function whole(text: string): number {
  const value = anyWhole(text);
  if (value < 1) throw new InvalidArgumentError('A whole number of at least 1 is needed.');
  return value;
}

function anyWhole(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value)) throw new InvalidArgumentError('A whole number is needed.');
  return value;
}

function amount(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value < Infinity))
    throw new InvalidArgumentError('A number of at least 0 is needed.');
  return value;
}

function positive(text: string): number {
  const value = amount(text);
  if (value === 0) throw new InvalidArgumentError('A number above 0 is needed.');
  return value;
}
