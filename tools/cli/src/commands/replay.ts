import type { Command } from 'commander';

/** Adds `roost replay`, whose options the replay tool knows itself: what it is made of is loaded only when it is run. */
export function addReplayCommand(program: Command): void {
  program
    .command('replay')
    .summary('show what routing policies make of recorded agent traffic')
    .usage('[traces...] [options]')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[arguments...]', 'see roost replay --help')
    .action(async (args: string[]) => {
      const { runReplay } = await import('@roost/replay-tool');
      await runReplay('roost replay', args);
    });
}
