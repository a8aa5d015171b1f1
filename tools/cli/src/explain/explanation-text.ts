import type { ExplainedAttempt, ExplainedLeg, Explanation } from '@roost/edge-server';
import Table from 'cli-table3';

import type { Colors } from '../output/log-view.js';

/** An explanation for people. */
export function explanationText(explanation: Explanation, colors: Colors): string {
  const { attempts, context, generation } = explanation;
  return [
    ...headOf(explanation, colors),
    ...attempts.flatMap((attempt, index) => ['', ...attemptText(attempt, index + 1, colors)]),
    '',
    ...legText('context', context, colors),
    ...legText('generation', generation, colors),
    timesText(explanation),
  ].join('\n');
}

function headOf(explanation: Explanation, { bold, green, red }: Colors): string[] {
  const { request_id, outcome, arrived, endpoint, model, stream, trace_id } = explanation;
  const { conversation_id, subagent_affinity_id, routing_key } = explanation;
  const shown = outcome === 'ok' ? green(outcome) : red(outcome);
  return [
    `${bold(request_id)} ${shown}, ${endpoint}${stream ? ' (stream)' : ''} on ${model}, ${arrived}`,
    `  conversation ${conversation_id ?? 'none'}, parent session ${subagent_affinity_id ?? 'none'}, routing key ${routing_key ?? 'none'}`,
    ...(trace_id === null ? [] : [`  trace ${trace_id}`]),
  ];
}

function attemptText(attempt: ExplainedAttempt, number: number, { bold, dim }: Colors): string[] {
  const { leg, instance, decision, reason, outcome, routing_key, duration_ms } = attempt;
  const time = duration_ms === null ? '' : ` after ${milliseconds(duration_ms)}`;
  return [
    `${String(number)}. ${bold(leg)} leg on ${bold(instance)}: ${decision} (${reason}), ${outcome}${time}`,
    `   bound by ${routing_key ?? 'nothing'}`,
    candidateTable(attempt),
    ...(attempt.more_candidates === 0 ? [] : [dim(`   and ${String(attempt.more_candidates)} more`)]),
  ];
}

function candidateTable({ candidates }: ExplainedAttempt): string {
  const table = new Table({
    head: ['instance', 'load', ''],
    style: { head: [], border: [], compact: true },
  });
  for (const { instance, load, chosen, available } of candidates) {
    table.push([instance, String(load), chosen ? 'chosen' : available ? '' : 'not available']);
  }
  return table.toString();
}

function legText(name: string, leg: ExplainedLeg | null, { dim }: Colors): string[] {
  if (leg === null) return [`${name} leg: none went through`];
  const { instance, rank, queue_ms, prefill_ms, handoff_ms, more_ranks } = leg;
  const where = rank === null ? instance : `${instance} rank ${String(rank)}`;
  const spent = [
    `queue ${milliseconds(queue_ms)}`,
    ...(prefill_ms > 0 ? [`prefill ${milliseconds(prefill_ms)}`] : []),
    ...(handoff_ms > 0 ? [`handoff ${milliseconds(handoff_ms)}`] : []),
  ];
  return [
    `${name} leg: ${where}, ${spent.join(', ')}`,
    ...rankText(leg),
    ...(more_ranks === 0 ? [] : [dim(`   and ${String(more_ranks)} more ranks`)]),
  ];
}

/** Why on that rank, and what there was to choose among. */
function rankText({ rank_decision, rank_reason, ranks }: ExplainedLeg): string[] {
  if (rank_decision === null) return [];
  const table = new Table({
    head: ['rank', 'requests', 'prompt tokens', ''],
    style: { head: [], border: [], compact: true },
  });
  for (const { rank, active_requests, active_tokens, chosen } of ranks)
    table.push([String(rank), String(active_requests), String(active_tokens), chosen ? 'chosen' : '']);
  return [
    `   rank: ${rank_decision}${rank_reason === null ? '' : ` (${rank_reason})`}`,
    ...(ranks.length > 1 ? [table.toString()] : []),
  ];
}

function timesText(explanation: Explanation): string {
  const { prompt_tokens, cached_tokens, completion_tokens, resumed, admission_ms, ttft_ms, total_ms } = explanation;
  return [
    prompt_tokens === null
      ? 'no usage'
      : `${String(cached_tokens)} of ${String(prompt_tokens)} prompt tokens were cached, ${String(completion_tokens)} made`,
    ...(admission_ms === null ? [] : [`admitted after ${milliseconds(admission_ms)}`]),
    ...(ttft_ms === null ? [] : [`first text after ${milliseconds(ttft_ms)}`]),
    `ended after ${milliseconds(total_ms)}`,
    ...(resumed === 0 ? [] : [`begun again ${String(resumed)} times`]),
  ].join(', ');
}

function milliseconds(value: number): string {
  return `${value.toFixed(1)} ms`;
}
