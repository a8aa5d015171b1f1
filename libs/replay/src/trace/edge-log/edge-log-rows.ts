import type { Fields } from '../fields.js';
import { promptDelta } from '../prompt-delta.js';
import { TraceBuilder } from '../trace-builder.js';
import { TraceError } from '../trace-error.js';
import { MOST_TOKENS, TOKENS_PER_BLOCK } from '../trace-row.js';
import type { Trace } from '../trace.js';

import { type Family, familiesOf } from './families.js';

/** One request that an edge has logged. */
export interface LoggedRequest {
  /** Hashed; of a request without one, made up. */
  readonly conversation: string;
  readonly parent: string | null;
  readonly model: string;
  /** Seconds of the epoch, of the arrival. */
  readonly at: number;
  readonly seconds: number;
  readonly outputTokens: number;
  readonly inputTokens: number;
  readonly ids: readonly number[];
}

const BLOCK_HASH = /^[0-9a-f]{16}$/;

/**
 * What edges have logged by their setting `trace_log`. Requests that failed, or whose blocks an edge could not tell, are
 * left out. The requests of a conversation are taken in the order in which they arrived, as one agent's; a parent that
 * the logs know nothing of leaves its sub-agents main agents.
 */
export class EdgeLogRows {
  readonly #requests: LoggedRequest[] = [];
  /** Numbers stand in for hashes, which have more bits than a number. */
  readonly #ids = new Map<string, number>();
  #anonymous = 0;

  /** Begins a file; the function returned takes its lines. */
  readFile(): (fields: Fields) => void {
    const latest = new Map<string, readonly number[]>();
    return (fields) => {
      this.#read(fields, latest);
    };
  }

  /** All requests as a trace; null when there are none. */
  finish(): Trace | null {
    if (this.#requests.length === 0) return null;
    this.#requests.sort((one, other) => one.at - other.at);
    const begin = this.#requests[0]?.at ?? 0;
    const families = familiesOf(this.#requests);
    const builder = new TraceBuilder();
    const agents = new Map<string, { seq: number; ids: readonly number[] }>();
    this.#requests.forEach((request, index) => {
      const family = families.get(request.conversation);
      if (family === undefined) throw new Error('every conversation has its family');
      const agent = agents.get(request.conversation) ?? { seq: 0, ids: [] };
      builder.add(rowOfLogged(request, family, agent, begin), index + 1);
      agents.set(request.conversation, { seq: agent.seq + 1, ids: request.ids });
    });
    return builder.finish();
  }

  #read(fields: Fields, latest: Map<string, readonly number[]>): void {
    fields.whole('roost_trace', 1, 1);
    fields.whole('tokens_per_block', TOKENS_PER_BLOCK, TOKENS_PER_BLOCK);
    if (fields.isAbsent('new')) return;
    const conversation = fields.textOrNull('conversation');
    const ids = this.#idsOf(fields, conversation === null ? [] : (latest.get(conversation) ?? []));
    if (conversation !== null) latest.set(conversation, ids);
    if (fields.text('outcome') !== 'ok') return;
    const shortest = Math.max(1, ids.length * TOKENS_PER_BLOCK);
    this.#requests.push({
      conversation: conversation ?? `anonymous-${String((this.#anonymous += 1))}`,
      parent: fields.textOrNull('parent'),
      model: fields.text('model'),
      at: fields.amount('at'),
      seconds: fields.amount('api_s'),
      outputTokens: fields.whole('out', 0, MOST_TOKENS),
      // An engine may count otherwise than the edge, whose blocks these are.
      inputTokens: Math.max(shortest, Math.min(fields.whole('in', 0, MOST_TOKENS), shortest + TOKENS_PER_BLOCK - 1)),
      ids,
    });
  }

  #idsOf(fields: Fields, previous: readonly number[]): readonly number[] {
    const keep = fields.whole('keep', 0, MOST_TOKENS);
    if (keep > previous.length)
      throw new TraceError(fields.line, `keep is ${String(keep)} of a prompt of ${String(previous.length)} blocks`);
    const added = fields.list('new', isBlockHash, 'a list of block hashes');
    return [...previous.slice(0, keep), ...added.map((hash) => this.#idOf(hash))];
  }

  #idOf(hash: string): number {
    const id = this.#ids.get(hash) ?? this.#ids.size;
    this.#ids.set(hash, id);
    return id;
  }
}

function rowOfLogged(
  request: LoggedRequest,
  { session, parent, start }: Family,
  agent: { readonly seq: number; readonly ids: readonly number[] },
  begin: number,
): Parameters<TraceBuilder['add']>[0] {
  return {
    session,
    agent: request.conversation,
    parent,
    seq: agent.seq,
    t: request.at - start,
    start: start - begin,
    model: request.model,
    in: request.inputTokens,
    out: request.outputTokens,
    api_s: request.seconds,
    trigger: 'tool',
    ...promptDelta(agent.ids, request.ids),
    ids: 'global',
  };
}

function isBlockHash(value: unknown): value is string {
  return typeof value === 'string' && BLOCK_HASH.test(value);
}
