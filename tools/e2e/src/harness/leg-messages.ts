import { signAffinity, signHandoff } from '@roost/affinity-auth';
import {
  DISAGG_AUTH,
  Endpoint,
  GenerateRequest,
  PrefillRequest,
  type PrefillResponse,
  SUBAGENT_AFFINITY_AUTH,
  SUBAGENT_AFFINITY_ID,
} from '@roost/protocol';

import { bodyFor } from './http-client.js';
import { PRIVATE_KEY, promptOn } from './private-text.js';
import type { Meta } from './worker-client.js';

/** What a signature binds, by the names that tests vary. */
export interface Claim {
  readonly role: 'CONTEXT' | 'GENERATION';
  readonly model: string;
  readonly conversationId: string | null;
  readonly subagentAffinityId: string;
  readonly requestType: string | null;
  readonly disaggRequestId: bigint | null;
}

let lastId = 2n ** 62n + 1n;

/** A request id that no other test uses, beyond what a JavaScript number can hold. */
export function nextRequestId(): bigint {
  lastId += 2n;
  return lastId;
}

/** A context leg as an edge sends it. */
export function prefillMessage(
  conversationId: string,
  topic: string,
  disaggRequestId = nextRequestId(),
): PrefillRequest {
  return PrefillRequest.fromPartial({
    endpoint: Endpoint.ENDPOINT_CHAT_COMPLETIONS,
    model: 'roost-simulated',
    body: Buffer.from(JSON.stringify(bodyFor('chat/completions', promptOn(topic, 80)))),
    conversationId,
    disaggregatedParams: { requestType: 'context_only', disaggRequestId },
    samplingParams: { maxTokens: 8 },
    requestId: 'from-a-test',
  });
}

/** The generation leg that follows a context leg; without its answer, a request to be served whole. */
export function generateMessage(prefill: PrefillRequest, answer: PrefillResponse | null): GenerateRequest {
  const { endpoint, model, body, samplingParams, requestId, conversationId } = prefill;
  return GenerateRequest.fromPartial({
    endpoint,
    model,
    body,
    requestId,
    stream: true,
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(samplingParams === undefined ? {} : { samplingParams }),
    ...(answer === null
      ? {}
      : {
          promptTokenIds: answer.promptTokenIds,
          disaggregatedParams: { ...answer.disaggregatedParams, requestType: 'generation_only' },
        }),
  });
}

/** What an edge claims of a message when it sends a sub-agent's leg. */
export function claimOf(message: PrefillRequest | GenerateRequest, subagentAffinityId: string): Claim {
  const params = message.disaggregatedParams;
  return {
    role: params?.requestType === 'context_only' ? 'CONTEXT' : 'GENERATION',
    model: message.model,
    conversationId: message.conversationId ?? null,
    subagentAffinityId,
    requestType: params?.requestType ?? null,
    disaggRequestId: params?.disaggRequestId ?? null,
  };
}

/** The metadata of a sub-agent's leg: the parent session, and a signature of a claim that may be another one's. */
export function affinityMeta(parent: string, claim: Claim, key = PRIVATE_KEY): Meta {
  return { [SUBAGENT_AFFINITY_ID]: parent, [SUBAGENT_AFFINITY_AUTH]: signAffinity(key, claim) };
}

/** The metadata that proves a handoff. */
export function handoffMeta(
  handoff: { readonly ctxInfoEndpoint?: string | undefined; readonly encodedOpaqueState?: string | undefined },
  key = PRIVATE_KEY,
): Meta {
  const { ctxInfoEndpoint = null, encodedOpaqueState = null } = handoff;
  return { [DISAGG_AUTH]: signHandoff(key, { ctxInfoEndpoint, encodedOpaqueState }) };
}
