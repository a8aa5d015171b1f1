import { InvalidArgumentError, Option, type Command } from 'commander';

import { isLoopback, type LiveOptions } from './live-options.js';

/** The options of a live replay as commander gives them. */
export interface LiveFlags extends Omit<LiveOptions, 'url' | 'model' | 'nativeHeaders'> {
  readonly live?: URL;
  readonly model?: string;
  readonly allowRemote?: true;
  readonly nativeHeaders?: true;
}

/** How numbers are read. */
interface Parsers {
  readonly whole: (text: string) => number;
  readonly positive: (text: string) => number;
}

/** Adds the options of a live replay to a command. */
export function addLiveOptions(command: Command, { whole, positive }: Parsers): Command {
  const number = (flags: string, description: string, fallback: number, parse = whole): Option =>
    new Option(flags, description).argParser(parse).default(fallback);
  return command
    .optionsGroup('Live replay:')
    .addOption(
      new Option('--live <url>', 'send the trace to this edge in place of simulating')
        .argParser(parseUrl)
        .conflicts('html'),
    )
    .addOption(new Option('--allow-remote', 'even if it is another machine'))
    .addOption(new Option('--model <name>', 'default: the first that the edge serves'))
    .addOption(new Option('--parent-header <name>', 'names the parent session').default('x-dynamo-parent-session-id'))
    .addOption(
      new Option('--native-headers', "send the headers of the trace's harnesses, whether or not the edge knows them"),
    )
    .addOption(number('--speed <x>', 'divides all pauses', 1, positive))
    .addOption(number('--scale <x>', 'divides prompts and answers', 1, positive))
    .addOption(number('--max-tokens <n>', 'of an answer', 16))
    .addOption(number('--max-requests <n>', 'sent in all', 1000))
    .addOption(number('--seconds <s>', 'after which it ends', 300, positive));
}

/** The options of a live replay; null when none is asked for. Throws an InvalidArgumentError for another machine, unless allowed. */
export function liveOptionsOf({
  live: url,
  allowRemote,
  nativeHeaders,
  model,
  ...flags
}: LiveFlags): LiveOptions | null {
  if (url === undefined) return null;
  if (!isLoopback(url) && allowRemote !== true)
    throw new InvalidArgumentError(
      `${url.host} is not this machine: --allow-remote sends requests there all the same.`,
    );
  const { parentHeader, speed, scale, maxTokens, maxRequests, seconds } = flags;
  const headers = { parentHeader, nativeHeaders: nativeHeaders ?? false };
  return { url, model: model ?? null, ...headers, speed, scale, maxTokens, maxRequests, seconds };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError('An http URL is needed.');
  return url;
}
