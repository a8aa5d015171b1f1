import { createHash } from 'node:crypto';

import type { Usage } from '@roost/protocol';

import type { LegRecord, ServedRequest } from '../request/served-request.js';

/** Tokens a block in the log, whatever the engines' blocks are: those of the recorded traces that it is replayed beside. */
export const LOG_TOKENS_PER_BLOCK = 64;

/** Blocks of a prompt: what it has in common with the latest line of the same conversation, and the hashes of the rest. */
export interface LoggedBlocks {
  readonly keep: number;
  readonly added: BigUint64Array;
}

/**
 * The line of a request in the log that `roost replay` reads: ids hashed, times, counts and block hashes, never text.
 *
 * @param arrived on the clock of `performance.now()`
 * @param ended on the same
 * @param blocks null where the prompt could not be tokenised here
 */
export function traceLineOf(
  { client, identity, record }: ServedRequest,
  arrived: number,
  ended: number,
  blocks: LoggedBlocks | null,
): string {
  const { usage, context, generation, firstTextAt, error } = record;
  return JSON.stringify({
    roost_trace: 1,
    at: seconds(performance.timeOrigin + arrived),
    conversation: hashOfId(identity.conversationId),
    parent: hashOfId(identity.subagentAffinityId),
    model: client.model.slice(0, 256),
    ...tokensOf(usage),
    ttft_s: firstTextAt === null ? null : seconds(firstTextAt - arrived),
    api_s: seconds(ended - arrived),
    outcome: error?.code ?? 'ok',
    ...placeOf(context ?? generation),
    tokens_per_block: LOG_TOKENS_PER_BLOCK,
    ...(blocks === null ? { new: null } : { keep: blocks.keep, new: Array.from(blocks.added, hex) }),
  });
}

function tokensOf(usage: Usage | null): Record<string, number> {
  const { promptTokens = 0, cachedTokens = 0, completionTokens = 0 } = usage ?? {};
  return { in: promptTokens, cached: cachedTokens, out: completionTokens };
}

/** Where the prompt was computed, and why there. */
function placeOf(leg: LegRecord | null): Record<string, string | number | null> {
  if (leg === null) return {};
  const { decision, instance, rank } = leg;
  return { decision, instance, rank };
}

function hex(hash: bigint): string {
  return hash.toString(16).padStart(16, '0');
}

/** What stands for an id in the log: the same for the same id, on every edge. */
export function hashOfId(id: string | null): string | null {
  return id === null ? null : createHash('sha256').update(id).digest('hex').slice(0, 16);
}

function seconds(ms: number): number {
  return Math.round(ms) / 1000;
}
