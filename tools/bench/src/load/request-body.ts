import { Buffer } from 'node:buffer';

import { largeBody, smallBody } from '../edge-overhead/bodies.js';

import { type LoadSpec, MODEL } from './load-spec.js';

/** The JSON body of a client's requests; each client has another one. */
export function requestBody({ body, stream, tokens }: LoadSpec, client: number): Buffer {
  const kind = body === 'small' ? smallBody : largeBody;
  const { messages } = JSON.parse(kind.bodyOf(client).toString()) as { messages: unknown };
  return Buffer.from(JSON.stringify({ model: MODEL, max_tokens: tokens, stream, messages }));
}
