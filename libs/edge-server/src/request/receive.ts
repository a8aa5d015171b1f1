import { randomUUID } from 'node:crypto';

import { identify } from '@roost/affinity-auth';
import { parseClientRequest } from '@roost/openai-api';
import { RoostError } from '@roost/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { RunningRequests } from './running-requests.js';
import { ServedRequest } from './served-request.js';

/** How this edge reads requests. */
export interface ReceiveOptions {
  /** `conversation_affinity_header_for_subagents`, or null. */
  readonly parentHeader: string | null;
  readonly allowChatTemplate: boolean;
  /** Milliseconds from arrival to the deadline. */
  readonly timeoutMs: number;
}

/**
 * Reads and identifies a request, and starts its clock. Its signal aborts when the client goes away before the answer is
 * out, when the deadline passes, or when the edge's time is over.
 *
 * @param running counts the request in until it is settled
 * @throws RoostError that says what is wrong with the body or the ids
 */
export function receive(
  endpoint: 'chat' | 'completions',
  { headers, body }: FastifyRequest,
  reply: FastifyReply,
  { parentHeader, allowChatTemplate, timeoutMs }: ReceiveOptions,
  running: RunningRequests,
): ServedRequest {
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw new RoostError('invalid_json', 'the request has no body: send a JSON object');
  }
  const client = parseClientRequest(endpoint, body, { allowChatTemplate });
  const identity = identify({
    headers,
    conversationParams: client.conversationParams,
    parentHeader,
    newId: randomUUID,
  });
  const abort = new AbortController();
  const request = new ServedRequest(
    randomUUID().replaceAll('-', ''),
    client,
    identity,
    Date.now() + timeoutMs,
    // One signal, not one made of two: every leg listens to it, and listeners of those cost several times as much.
    abort.signal,
  );
  request.owe(running.enter((reason) => abort.abort(reason)));
  const timer = setTimeout(() => {
    abort.abort(new RoostError('deadline_exceeded', `no answer within ${String(timeoutMs / 1_000)} s`));
  }, timeoutMs);
  const onClose = (): void => {
    if (!reply.raw.writableFinished) abort.abort(new RoostError('client_closed_request', 'the client went away'));
  };
  reply.raw.once('close', onClose);
  request.owe(() => {
    clearTimeout(timer);
    reply.raw.off('close', onClose);
  });
  return request;
}
