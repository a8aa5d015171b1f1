import type { Command } from 'commander';

import { CliError } from '../cli-error.js';
import { explanationText } from '../explain/explanation-text.js';
import { fetchExplanation } from '../explain/fetch-explanation.js';
import { colorsFor } from '../output/log-view.js';

/** Where `tools/cluster/local.yaml` has the edge answer its operators. */
const DEFAULT_ADMIN = 'http://127.0.0.1:8001';

interface ExplainOptions {
  readonly admin: string;
  readonly json?: boolean;
}

/** Adds `roost explain`. */
export function addExplainCommand(program: Command): void {
  program
    .command('explain')
    .summary('show why a recent request went where it went')
    .description(
      'Asks the edge on this machine about a request that has ended: its routing key, the decision for each leg with the instances that it was chosen among and their loads, what was cached, and how long everything took. Needs `edge.admin_port`.',
    )
    .argument('<request-id>', 'as in the header x-roost-request-id, the log, or the id of the answer')
    .option('--admin <url>', "address of the edge's admin port", DEFAULT_ADMIN)
    .option('--json', 'print what the edge says as JSON')
    .addHelpText('after', '\nExamples:\n  $ roost explain chatcmpl-4bf92f3577b34da6a3ce929d0e0e4736')
    .action(runExplain);
}

async function runExplain(requestId: string, { admin, json }: ExplainOptions): Promise<void> {
  if (!URL.canParse(admin)) throw new CliError(`--admin: ${admin} is not a URL like ${DEFAULT_ADMIN}`);
  const explanation = await fetchExplanation(new URL(admin), requestId);
  const text = json === true ? JSON.stringify(explanation, null, 2) : null;
  console.log(text ?? explanationText(explanation, colorsFor(process.stdout, process.env)));
}
