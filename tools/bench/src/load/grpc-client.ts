import { Buffer } from 'node:buffer';

import { Metadata } from '@grpc/grpc-js';
import { GrpcConnection, type StreamBounds } from '@roost/grpc-transport';
import { Endpoint, GENERATE, type GenerateRequest, PREFILL, type PrefillRequest } from '@roost/protocol';

import { type LoadSpec, MODEL } from './load-spec.js';
import { requestBody } from './request-body.js';
import type { Asking, Pending } from './tally.js';

const NO_METADATA = new Metadata();
const NEVER = new AbortController().signal;

/** The connections that all clients of a load share, as all requests of an edge do. */
export interface DirectConnections {
  readonly context: GrpcConnection | null;
  readonly generation: GrpcConnection;
}

/** Connections to the workers on these ports of loopback. */
export function openConnections(context: number | null, generation: number): DirectConnections {
  const open = (port: number): GrpcConnection => new GrpcConnection(`127.0.0.1:${String(port)}`);
  return { context: context === null ? null : open(context), generation: open(generation) };
}

/** A client that makes the calls that an edge would make for its request, and nothing else. */
export class DirectClient implements Asking {
  private readonly message: PrefillRequest;

  constructor(
    private readonly connections: DirectConnections,
    private readonly spec: LoadSpec,
    client: number,
  ) {
    this.message = {
      endpoint: Endpoint.ENDPOINT_CHAT_COMPLETIONS,
      model: MODEL,
      body: requestBody(spec, client),
      conversationId: `session-${String(client)}`,
      disaggregatedParams: undefined,
      schedulingParams: undefined,
      samplingParams: { maxTokens: spec.tokens, stop: [], ignoreEos: false },
      promptTokenIds: Buffer.alloc(0),
      requestId: 'bench',
    };
  }

  async ask(pending: Pending): Promise<void> {
    const { context, generation } = this.connections;
    const prefilled = context === null ? null : await context.unary(PREFILL, this.message, NO_METADATA, bounds());
    await this.generate(generation, pending, {
      ...this.message,
      disaggregatedParams: prefilled?.disaggregatedParams,
      promptTokenIds: prefilled?.promptTokenIds ?? this.message.promptTokenIds,
      stream: this.spec.stream,
      generatedTokenIds: [],
    });
  }

  close(): void {
    // The connections belong to whoever opened them.
  }

  private async generate(worker: GrpcConnection, pending: Pending, message: GenerateRequest): Promise<void> {
    for await (const { tokenIds } of worker.stream(GENERATE, message, NO_METADATA, bounds())) {
      pending.firstTokenAt ??= performance.now();
      pending.tokens += tokenIds.length;
    }
  }
}

function bounds(): StreamBounds {
  return { signal: NEVER, deadline: Date.now() + 120_000, graceMs: 1_000 };
}
