import type { AdpRequest } from './ports/adp-router.js';

/** What placement looks a request up by: its parent session, else its conversation, else nothing. An empty id is none. */
export function routingKey(request: AdpRequest<unknown>): string | null {
  return parentSession(request) ?? nonEmpty(request.conversationId);
}

/** The request's parent session, or null when it has none. */
export function parentSession(request: AdpRequest<unknown>): string | null {
  return nonEmpty(request.subagentAffinityId);
}

function nonEmpty(id: string | null | undefined): string | null {
  return id === undefined || id === '' ? null : id;
}
