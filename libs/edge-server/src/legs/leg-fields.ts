import { encodeTokenIds, Endpoint, type PrefillRequest } from '@roost/protocol';

import type { LegRoute } from '../fleets/routed-fleet.js';
import type { ServedRequest } from '../request/served-request.js';

/**
 * What placement may know of a request.
 *
 * @param carriesPrompt whether the leg carries the client's prompt, not a handoff
 */
export function legRouteOf({ client, identity, prompt }: ServedRequest, carriesPrompt: boolean): LegRoute {
  return {
    conversationId: identity.conversationId,
    subagentAffinityId: identity.subagentAffinityId,
    textChars: client.textChars,
    text: () => client.canonicalText(),
    promptTokenIds: client.promptTokenIds,
    completion: carriesPrompt && client.endpoint === 'completions',
    contentPin: prompt?.contentPin ?? null,
    prompt,
  };
}

/** Workers tokenise what nobody has, and check token ids that a client sent. */
const NO_TOKENS = Buffer.alloc(0);

/** The fields that both legs' messages share. */
export function legFieldsOf({
  id,
  client,
  identity,
  prompt,
}: ServedRequest): Omit<PrefillRequest, 'disaggregatedParams'> {
  const { maxTokens, stop, temperature, topP, seed, ignoreEos } = client.sampling;
  return {
    endpoint: client.endpoint === 'chat' ? Endpoint.ENDPOINT_CHAT_COMPLETIONS : Endpoint.ENDPOINT_COMPLETIONS,
    model: client.model,
    body: client.bytes,
    conversationId: identity.conversationId ?? undefined,
    schedulingParams: undefined,
    samplingParams: { maxTokens, stop: [...stop], temperature, topP, seed, ignoreEos },
    promptTokenIds: prompt === null ? NO_TOKENS : encodeTokenIds(prompt.tokens),
    requestId: id,
  };
}
