import type { RouteRequest } from '@roost/fleet-router';
import { Endpoint, type PrefillRequest } from '@roost/protocol';

import type { ServedRequest } from '../request/served-request.js';

/**
 * What placement may know of a request.
 *
 * @param carriesPrompt whether the leg carries the client's prompt, not a handoff
 */
export function routeRequestOf({ client, identity }: ServedRequest, carriesPrompt: boolean): RouteRequest {
  return {
    conversationId: identity.conversationId,
    subagentAffinityId: identity.subagentAffinityId,
    textChars: client.textChars,
    text: () => client.canonicalText(),
    promptTokenIds: client.promptTokenIds,
    completion: carriesPrompt && client.endpoint === 'completions',
  };
}

/** Workers tokenise, and check token ids that a client sent. */
const NO_TOKENS = Buffer.alloc(0);

/** The fields that both legs' messages share. */
export function legFieldsOf({ id, client, identity }: ServedRequest): Omit<PrefillRequest, 'disaggregatedParams'> {
  const { maxTokens, stop, temperature, topP, seed, ignoreEos } = client.sampling;
  return {
    endpoint: client.endpoint === 'chat' ? Endpoint.ENDPOINT_CHAT_COMPLETIONS : Endpoint.ENDPOINT_COMPLETIONS,
    model: client.model,
    body: client.bytes,
    conversationId: identity.conversationId ?? undefined,
    schedulingParams: undefined,
    samplingParams: { maxTokens, stop: [...stop], temperature, topP, seed, ignoreEos },
    promptTokenIds: NO_TOKENS,
    requestId: id,
  };
}
