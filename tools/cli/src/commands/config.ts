import { ConfigError, describeConfig, generateAuthKey, loadClusterConfig, loadWorkerConfig } from '@roost/config';
import type { Command } from 'commander';

import { inputFile } from './input-file.js';

/** Adds `roost config check`. */
export function addConfigCommand(program: Command): void {
  program
    .command('config')
    .summary('look at configuration files')
    .description('Looks at configuration files.')
    .command('check')
    .summary('check a configuration file and print what it comes to')
    .description(
      'Prints the configuration in effect as YAML - defaults and environment included, secrets hidden - and its warnings on standard error. Where it cannot be used, prints everything that is wrong in it, with the path of each key.',
    )
    .argument('<file>', 'cluster file; with --worker, worker file')
    .option('--worker', 'the file is that of a single worker')
    .addHelpText(
      'after',
      '\nExamples:\n  $ roost config check cluster.yaml\n  $ roost config check --worker worker.yaml',
    )
    .action((file: string, { worker }: { worker?: boolean }) => check(inputFile(file), worker === true));
}

function check(file: string, isWorker: boolean): void {
  const { config, warnings } = load(file, isWorker);
  for (const warning of warnings) console.error(`warning: ${warning}`);
  process.stdout.write(describeConfig(config));
}

function load(file: string, isWorker: boolean): ReturnType<typeof loadClusterConfig | typeof loadWorkerConfig> {
  try {
    return isWorker
      ? loadWorkerConfig(file, process.env)
      : loadClusterConfig(file, process.env, { generateKey: generateAuthKey });
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const warning of error.warnings) console.error(`warning: ${warning}`);
      if (!isWorker && error.problems.some(({ path }) => path === 'role'))
        console.error('hint: only worker files have a role; check those with --worker');
    }
    throw error;
  }
}
