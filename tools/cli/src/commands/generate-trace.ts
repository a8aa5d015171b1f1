import type { Command } from 'commander';

/** Adds `roost generate-trace`, whose options the replay tool knows itself. */
export function addGenerateTraceCommand(program: Command): void {
  program
    .command('generate-trace')
    .summary('make up traffic of coding agents to replay')
    .usage('[options]')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]', 'see roost generate-trace --help')
    .action(async (args: string[]) => {
      const { runGenerateTrace } = await import('@roost/replay-tool');
      await runGenerateTrace('roost generate-trace', args);
    });
}
