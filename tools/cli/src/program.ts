import { ConfigError } from '@roost/config';
import { Command } from 'commander';

import { CliError } from './cli-error.js';
import { addAppCommands } from './commands/app.js';
import { addConfigCommand } from './commands/config.js';
import { addConformanceCommand } from './commands/conformance.js';
import { addDemoCommand } from './commands/demo.js';
import { addExplainCommand } from './commands/explain.js';
import { addGenerateTraceCommand } from './commands/generate-trace.js';
import { addModelCommand } from './commands/model.js';
import { addReplayCommand } from './commands/replay.js';
import { addUpCommand } from './commands/up.js';
import { ownVersion } from './version.js';

/** The roost command line, ready to parse arguments. */
function createProgram(): Command {
  const program = new Command('roost')
    .description("Agent-aware, disaggregated LLM serving: sub-agents land where their parent's KV cache already lies.")
    .version(ownVersion(), '-V, --version', 'print the version')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('(roost --help shows all commands)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ roost up -c tools/cluster/local.yaml\n  $ roost demo\n  $ roost config check cluster.yaml',
    );
  const commands = [
    addUpCommand,
    addAppCommands,
    addConfigCommand,
    addDemoCommand,
    addExplainCommand,
    addConformanceCommand,
    addModelCommand,
    addReplayCommand,
    addGenerateTraceCommand,
  ];
  for (const add of commands) add(program);
  for (const command of program.commands) pointToHelp(command, program.name());
  return program;
}

/** Has a command's errors name the command whose help says more, and so those of its subcommands. */
function pointToHelp(command: Command, parent: string): void {
  const name = `${parent} ${command.name()}`;
  command.showHelpAfterError(`(${name} --help shows what it takes)`);
  for (const subcommand of command.commands) pointToHelp(subcommand, name);
}

/**
 * Runs the command line with a process's arguments. A failure that is meant for the user is printed without a stack and
 * sets the exit code; any other is a defect and is thrown.
 */
export async function runCli(argv: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CliError || error instanceof ConfigError)) throw error;
    console.error(`roost: ${error.message}`);
    process.exitCode = error instanceof CliError ? error.exitCode : 1;
  }
}
