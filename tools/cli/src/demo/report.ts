import Table from 'cli-table3';

import { harmless } from '../output/harmless.js';

import type { DemoResult } from './demo-request.js';
import type { DemoAnswer } from './edge-client.js';

type Cell = (result: DemoResult) => string;

const unknown = '-';
const untold = 'the edge does not tell where it places requests, as edge.explain_headers is off';

const rows: readonly (readonly [string, Cell])[] = [
  ['session id', ({ session_id }) => session_id],
  ['parent session', ({ parent_session_id }) => parent_session_id ?? unknown],
  ['routing key', ({ routing_key }) => routing_key ?? unknown],
  ['conversation id', ({ conversation_id }) => conversation_id ?? unknown],
  ['context instance', ({ context_instance }) => context_instance ?? unknown],
  ['context rank', ({ context_rank }) => String(context_rank ?? unknown)],
  ['prompt tokens', ({ prompt_tokens }) => count(prompt_tokens)],
  ['cached tokens', ({ cached_tokens }) => count(cached_tokens)],
  ['first token after', ({ ttft_ms }) => milliseconds(ttft_ms)],
];

/**
 * Why sub-agents that name their parent in this header will not follow it, whatever is measured; null where they may.
 *
 * @param configured the header that the edge looks at; null where sub-agent affinity is off
 */
export function whyIdle(header: string, configured: string | null): string | null {
  if (configured === null)
    return 'sub-agent affinity is off on this edge: conversation_affinity_header_for_subagents is not set';
  if (header.toLowerCase() === configured.toLowerCase()) return null;
  return `this edge looks for the parent session in ${configured}, not in ${header}`;
}

/** A table of one run: a column for each request, a row for each thing known of it. */
export function resultTable(results: readonly DemoResult[]): string {
  const table = new Table({
    head: ['', ...results.map(({ name }) => name)],
    // Colours of the table's own would also go into a pipe.
    style: { head: [], border: [], compact: true },
  });
  for (const [title, cell] of rows) table.push([title, ...results.map((result) => cell(result))]);
  return table.toString();
}

/** What was answered, a line for each request; what a model wrote cannot steer the terminal. */
export function answerLines(answers: readonly DemoAnswer[]): string {
  return answers
    .map(({ text, result }) => `${result.name}: ${harmless(text.replaceAll(/\s+/g, ' ').trim())}`)
    .join('\n');
}

/** One sentence on where the sub-agents of a run went and how much of their prompts was cached there. */
export function conclusion(results: readonly DemoResult[]): string {
  const [parent, ...subAgents] = results;
  if (parent === undefined || subAgents.length === 0) return '';
  const atParent = subAgents.filter(
    (sub) =>
      sub.context_instance !== null &&
      sub.context_instance === parent.context_instance &&
      sub.context_rank === parent.context_rank,
  );
  const sum = (field: 'cached_tokens' | 'prompt_tokens'): number =>
    subAgents.reduce((total, sub) => total + (sub[field] ?? 0), 0);
  const cached = sum('cached_tokens');
  const prompt = sum('prompt_tokens');
  const share = prompt === 0 ? 0 : (100 * cached) / prompt;
  const told = results.every(({ generation_instance }) => generation_instance !== null);
  return (
    `${named(parent)}: ${told ? placed(atParent.length, subAgents.length) : untold}, and ` +
    `${count(cached)} of the sub-agents' ${count(prompt)} prompt tokens (${share.toFixed(0)} %) were cached there.`
  );
}

function named({ run }: DemoResult): string {
  return run === 'with_parent_header' ? 'With the parent header' : 'Without the parent header';
}

function placed(atParent: number, all: number): string {
  if (atParent === all)
    return `${all === 2 ? 'both' : `all ${String(all)}`} sub-agents were placed on their parent's instance and rank`;
  if (atParent === 0) return "no sub-agent was placed where its parent's cache is";
  return `${String(atParent)} of ${String(all)} sub-agents was placed on its parent's instance and rank`;
}

function count(value: number | null): string {
  return value === null ? unknown : value.toLocaleString('en-US');
}

function milliseconds(value: number | null): string {
  return value === null ? unknown : `${value.toFixed(0)} ms`;
}
