import { credentials, Metadata } from '@grpc/grpc-js';
import { Endpoint, LegServiceClient } from '@roost/protocol';
import { Pool } from 'undici';

import type { Target } from './load.js';

const CHANNEL = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 };

/** A worker called as an edge calls it, with nothing between. */
export function directTarget(server: string): Target & { close(): void } {
  const client = new LegServiceClient(server, credentials.createInsecure(), CHANNEL);
  return {
    name: 'worker, directly',
    ask: (body) =>
      new Promise((resolve, reject) => {
        const message = {
          endpoint: Endpoint.ENDPOINT_CHAT_COMPLETIONS,
          model: 'roost-simulated',
          body,
          conversationId: 'bench',
          disaggregatedParams: undefined,
          schedulingParams: undefined,
          samplingParams: { maxTokens: 1, stop: [], ignoreEos: false },
          promptTokenIds: Buffer.alloc(0),
          requestId: 'bench',
          stream: false,
          generatedTokenIds: [],
        };
        const call = client.generate(message, new Metadata(), { deadline: Date.now() + 30_000 });
        call.on('data', () => undefined);
        call.once('end', () => resolve());
        call.once('error', reject);
      }),
    close: () => client.close(),
  };
}

/** The same worker behind an edge. */
export function edgeTarget(url: string): Target & { close(): void } {
  const pool = new Pool(url, { connections: 256 });
  const headers = { 'content-type': 'application/json', 'x-session-id': 'bench' };
  return {
    name: 'through the edge',
    ask: async (body) => {
      const answer = await pool.request({ method: 'POST', path: '/v1/chat/completions', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`HTTP ${String(answer.statusCode)}: ${text.slice(0, 300)}`);
    },
    close: () => void pool.close(),
  };
}
