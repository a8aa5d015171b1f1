import { generateAuthKey, loadClusterConfig } from '@roost/config';
import { type Command, InvalidArgumentError, Option } from 'commander';

import { banner } from '../launch/banner.js';
import { checkEngines, engineEnvironment } from '../launch/engine-choice.js';
import { childrenOf, freePort } from '../launch/launch.js';
import { type LaunchPlan, planLaunch } from '../launch/plan.js';
import { checkPorts } from '../launch/ports.js';
import { PrivateDirectory } from '../launch/private-directory.js';
import { type Colors, colorsFor, LogView, type Verbosity } from '../output/log-view.js';
import { startChild } from '../supervision/child.js';
import { systemClock } from '../supervision/clock.js';
import { defaultRestartLimits } from '../supervision/restart-policy.js';
import { onStopRequest } from '../supervision/stop-requests.js';
import { Supervisor, type SupervisionEvents } from '../supervision/supervisor.js';

import { configFile } from './input-file.js';

interface UpOptions {
  readonly config?: string;
  readonly engine?: string;
  readonly model?: string;
  readonly startTimeout: number;
  readonly verbose?: boolean;
  readonly quiet?: boolean;
}

/** Adds `roost up`. */
export function addUpCommand(program: Command): void {
  program
    .command('up')
    .summary('start a whole cluster on this machine')
    .description(
      'Starts the edge and every worker of a cluster file on this machine, keeps them running, and stops them on Ctrl-C. Shows requests, warnings and errors of their logs.',
    )
    .option('-c, --config <file>', 'cluster file')
    .option('--engine <type>', 'engine that the workers run, e.g. llama-cpp, whatever the file says')
    .option('--model <file>', 'GGUF file that the engine llama-cpp runs, or the name of one that `roost model` got')
    .addOption(new Option('--verbose', 'show everything that is logged').conflicts('quiet'))
    .option('--quiet', 'show only errors')
    .option('--start-timeout <seconds>', 'time for each process to become ready', parseSeconds, 60)
    .addHelpText(
      'after',
      '\nExamples:\n  $ roost up -c tools/cluster/local.yaml\n  $ ROOST_PORT=9000 roost up -c tools/cluster/local.yaml --verbose',
    )
    .action(runUp);
}

async function runUp(options: UpOptions, command: Command): Promise<void> {
  const plan = await preparePlan(configFile(options, command), engineEnvironment(options, process.env));
  await checkPorts([plan.edge, ...plan.workers, ...plan.sidePlaces]);
  const directory = new PrivateDirectory();
  try {
    await serve(plan, directory, options);
  } finally {
    directory.remove();
  }
}

async function preparePlan(file: string, env: NodeJS.ProcessEnv): Promise<LaunchPlan> {
  let keyIsDrawn = false;
  const generateKey = (): string => {
    keyIsDrawn = true;
    return generateAuthKey();
  };
  // Its warnings are the edge's to tell, which reads the same file.
  const { config } = loadClusterConfig(file, env, { generateKey });
  checkEngines(config);
  const port = config.port || (await freePort(config.bind_host ?? config.hostname));
  return planLaunch(config, port, { file, env, keyIsDrawn });
}

async function serve(plan: LaunchPlan, directory: PrivateDirectory, options: UpOptions): Promise<void> {
  const colors = colorsFor(process.stdout, process.env);
  const supervisor = new Supervisor({
    start: startChild,
    clock: systemClock,
    limits: {
      start: 1000 * options.startTimeout,
      stop: plan.longestShutdown + 2_000,
      restart: defaultRestartLimits,
    },
    events: eventsFor(plan, options, colors),
  });
  const stopRequest = Promise.withResolvers<undefined>();
  const stopListening = onStopRequest(process, systemClock, {
    stop: () => {
      console.log(colors.dim('Stopping; Ctrl-C again stops at once.'));
      stopRequest.resolve(undefined);
    },
    kill: () => {
      supervisor.kill();
      process.exitCode = 130;
    },
  });
  const run = async (): Promise<void> => {
    await supervisor.launch(childrenOf(plan, directory, systemClock));
    printBanner(plan, colors);
    await supervisor.failed;
  };
  try {
    await Promise.race([run(), stopRequest.promise]);
  } finally {
    await supervisor.stop();
    stopListening();
  }
}

function eventsFor({ edge, workers }: LaunchPlan, options: UpOptions, colors: Colors): SupervisionEvents {
  const names = [edge, ...workers].map(({ name }) => name);
  const view = new LogView(names, verbosityOf(options), colors);
  return {
    line: (name, line) => {
      const shown = view.format(name, line);
      if (shown !== undefined) console.log(shown);
    },
    ready: (name, milliseconds) => console.log(`${colors.green('ready')} ${name} in ${seconds(milliseconds)}`),
    died: (name, how, delay) => console.error(`roost: ${name} ${how}; it is started again in ${seconds(delay)}`),
  };
}

function printBanner({ edge, workers, model, parentHeader }: LaunchPlan, colors: Colors): void {
  const members = [edge, ...workers].map(({ name, role, address, ranks }) => ({ name, role, url: address, ranks }));
  console.log(banner({ url: edge.address, model, members, parentHeader }, colors));
}

function verbosityOf({ verbose, quiet }: UpOptions): Verbosity {
  if (verbose === true) return 'verbose';
  return quiet === true ? 'quiet' : 'normal';
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function parseSeconds(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 86_400)) throw new InvalidArgumentError('It must be a number of seconds above 0.');
  return value;
}
