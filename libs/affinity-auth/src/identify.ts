import { RoostError, SESSION_HEADERS } from '@roost/protocol';

import { readConversationParams } from './conversation-params.js';
import { type Headers, readHeaders } from './header-value.js';
import { stripWhiteSpace } from './white-space.js';

/** The longest id that is accepted, in bytes of UTF-8: bindings are counted, not measured, so each must stay small. */
export const MAX_ID_BYTES = 512;

/** What a client's request says about who asks. */
export interface IdentityQuestion {
  readonly headers: Headers;
  /** `conversation_params` of the parsed body, not checked; undefined when the body has none. */
  readonly conversationParams: unknown;
  /** `conversation_affinity_header_for_subagents`; null or blank when sub-agents are not routed by their parent. */
  readonly parentHeader: string | null;
  /** A text that has never been returned before. */
  readonly newId: () => string;
}

/** Who asks. */
export interface Identity {
  readonly conversationId: string | null;
  /** The parent session, or null for a main agent. */
  readonly subagentAffinityId: string | null;
  /** What placement looks up: the parent session if there is one, else the conversation. */
  readonly routingKey: string | null;
  /** Whether the conversation id was made up for this one request, because a sub-agent gave none. */
  readonly synthesised: boolean;
}

/**
 * Who a request comes from (reference 3.1, 8.1). The body's id wins over the session headers, the first of these that is
 * not blank over the others; the parent session comes from its header alone, never from anything else a client sends.
 *
 * @throws RoostError `invalid_request` for `conversation_params` that are not valid, and for an id longer than
 * {@link MAX_ID_BYTES} or with half a surrogate pair in it
 */
export function identify(question: IdentityQuestion): Identity {
  const parentHeader = stripWhiteSpace(question.parentHeader ?? '').toLowerCase();
  const headers = readHeaders(question.headers, [...SESSION_HEADERS, parentHeader]);
  const own = ownId(question.conversationParams, headers);
  const parent = (parentHeader === '' ? null : headers.get(parentHeader)) ?? null;
  if (parent !== null) requireUsableId(parent, `header ${parentHeader}`, parentHeader);
  const synthesised = own === null && parent !== null;
  return {
    conversationId: synthesised ? `subagent:${question.newId()}` : own,
    subagentAffinityId: parent,
    routingKey: parent ?? own,
    synthesised,
  };
}

function ownId(conversationParams: unknown, headers: ReadonlyMap<string, string>): string | null {
  const inBody = readConversationParams(conversationParams);
  if (inBody !== null) {
    requireUsableId(inBody, 'conversation_params.conversation_id', 'conversation_params.conversation_id');
    return inBody;
  }
  const name = SESSION_HEADERS.find((header) => headers.has(header));
  if (name === undefined) return null;
  const inHeader = headers.get(name) ?? '';
  requireUsableId(inHeader, `header ${name}`, name);
  return inHeader;
}

function requireUsableId(id: string, where: string, param: string): void {
  if (Buffer.byteLength(id) > MAX_ID_BYTES) {
    throw new RoostError('invalid_request', `${where} must not be longer than ${String(MAX_ID_BYTES)} bytes`, {
      param,
    });
  }
  // It would arrive at the worker as another text than was signed here.
  if (!id.isWellFormed()) {
    throw new RoostError('invalid_request', `${where} must be well-formed Unicode`, { param });
  }
}
