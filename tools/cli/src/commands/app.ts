import type { Command } from 'commander';

import { configFile } from './input-file.js';

const apps = [
  {
    name: 'edge',
    summary: 'run an edge alone, for workers that run elsewhere',
    file: 'cluster file',
    example: 'cluster.yaml',
  },
  {
    name: 'context-worker',
    summary: 'run one context worker',
    file: 'worker file',
    example: 'worker.yaml',
  },
  {
    name: 'generation-worker',
    summary: 'run one generation worker',
    file: 'worker file',
    example: 'worker.yaml',
  },
] as const;

type AppName = (typeof apps)[number]['name'];

/** Adds `roost edge`, `roost context-worker` and `roost generation-worker`, which run an app in this process. */
export function addAppCommands(program: Command): void {
  for (const { name, summary, file, example } of apps)
    program
      .command(name)
      .summary(summary)
      .description(
        `${summary[0]?.toUpperCase() ?? ''}${summary.slice(1)}. Logs one JSON object a line; SIGTERM lets requests finish.`,
      )
      .option('-c, --config <file>', file)
      .addHelpText('after', `\nExample:\n  $ roost ${name} -c ${example}`)
      .action((options: { config?: string }, command: Command) => runApp(name, configFile(options, command)));
}

async function runApp(name: AppName, file: string): Promise<void> {
  // The app's own main reads its arguments from the process.
  process.argv.splice(2, process.argv.length, '-c', file);
  switch (name) {
    case 'edge':
      await import('@roost/edge/main');
      return;
    case 'context-worker':
      await import('@roost/context-worker/main');
      return;
    case 'generation-worker':
      await import('@roost/generation-worker/main');
      return;
  }
}
