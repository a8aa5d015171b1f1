import { randomBytes } from 'node:crypto';

import type { Command } from 'commander';

import { CliError } from '../cli-error.js';
import { defaultUrl } from '../demo/default-url.js';
import type { DemoResult, DemoRun } from '../demo/demo-request.js';
import { getJson, sendRequest } from '../demo/edge-client.js';
import { answerLines, conclusion, resultTable, whyIdle } from '../demo/report.js';
import { runScenario } from '../demo/scenario.js';
import { colorsFor } from '../output/log-view.js';

const defaultParentHeader = 'X-Dynamo-Parent-Session-ID';
const runs: readonly DemoRun[] = ['with_parent_header', 'without_parent_header'];

interface DemoOptions {
  readonly url: string;
  readonly header?: string;
  readonly json?: boolean;
  readonly answers?: boolean;
}

/** Adds `roost demo`. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .summary('show what sub-agent affinity does, on a running cluster')
    .description(
      "Sends a parent's request and then two sub-agents' to a running cluster, with and without the parent header, and shows where each was placed and how much of its prompt was cached there.",
    )
    .option('--url <url>', 'address of the edge', defaultUrl)
    .option(
      '--header <name>',
      `name of the parent-session header (default: as the edge is configured, else ${defaultParentHeader})`,
    )
    .option('--answers', 'show what was answered, too')
    .option('--json', 'print one JSON object per request instead of tables')
    .addHelpText('after', '\nExamples:\n  $ roost demo\n  $ roost demo --url http://edge.example:8000 --json')
    .action(runDemo);
}

async function runDemo({ url, header, json, answers: withAnswers }: DemoOptions): Promise<void> {
  const baseUrl = parseUrl(url);
  const model = await firstModel(baseUrl);
  const configured = await configuredHeader(baseUrl);
  const parentHeader = header ?? configured ?? defaultParentHeader;
  const idle = whyIdle(parentHeader, configured);
  if (idle !== null) console.error(`roost: warning: ${idle}`);
  const client = { baseUrl, parentHeader, model };
  for (const run of runs) {
    const salt = randomBytes(3).toString('hex');
    const answers = await runScenario(run, salt, (request) => sendRequest(request, client));
    const results = answers.map(({ result }) => result);
    if (json === true) printJson(results);
    else printTable(run, parentHeader, results);
    if (json !== true && withAnswers === true) console.log(`${answerLines(answers)}\n`);
  }
}

function printJson(results: readonly DemoResult[]): void {
  for (const result of results) console.log(JSON.stringify(result));
}

function printTable(run: DemoRun, parentHeader: string, results: readonly DemoResult[]): void {
  const title =
    run === 'with_parent_header'
      ? `Sub-agents name their parent in ${parentHeader}`
      : 'The same requests without that header, in fresh sessions with a fresh prompt';
  console.log(`${colorsFor(process.stdout, process.env).bold(title)}\n${resultTable(results)}`);
  console.log(`${conclusion(results)}\n`);
}

function parseUrl(url: string): string {
  if (!URL.canParse(url)) throw new CliError(`--url: ${url} is not a URL like http://127.0.0.1:8000`);
  return url;
}

async function firstModel(baseUrl: string): Promise<string> {
  const list = (await getJson(new URL('/v1/models', baseUrl))) as {
    data?: { id?: string }[];
  };
  const model = list.data?.[0]?.id;
  if (model === undefined) throw new CliError(`${baseUrl} serves no model (its /v1/models is empty)`);
  return model;
}

async function configuredHeader(baseUrl: string): Promise<string | null> {
  const info = (await getJson(new URL('/cluster_info', baseUrl))) as {
    conversation_affinity_header_for_subagents?: string | null;
  };
  return info.conversation_affinity_header_for_subagents ?? null;
}
