import { Buffer } from 'node:buffer';

import { credentials, Metadata } from '@grpc/grpc-js';
import { CHANNEL_OPTIONS } from '@roost/grpc-transport';
import {
  Endpoint,
  type GenerateRequest,
  LegClient,
  type LegServiceClient,
  type PrefillRequest,
  type PrefillResponse,
} from '@roost/protocol';

import { type LoadSpec, MODEL } from './load-spec.js';
import { requestBody } from './request-body.js';
import type { Asking, Pending } from './tally.js';

/** The channels that all clients of a load share, as all requests of an edge do. */
export interface DirectChannels {
  readonly context: LegServiceClient | null;
  readonly generation: LegServiceClient;
}

/** Opens channels to the workers on these ports of loopback. */
export function openChannels(context: number | null, generation: number): DirectChannels {
  const open = (port: number): LegServiceClient =>
    new LegClient(`127.0.0.1:${String(port)}`, credentials.createInsecure(), CHANNEL_OPTIONS);
  return { context: context === null ? null : open(context), generation: open(generation) };
}

/** A client that makes the calls that an edge would make for its request, and nothing else. */
export class DirectClient implements Asking {
  private readonly message: PrefillRequest;

  constructor(
    private readonly channels: DirectChannels,
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
    const { context, generation } = this.channels;
    const prefilled = context === null ? null : await this.prefill(context);
    await this.generate(generation, pending, {
      ...this.message,
      disaggregatedParams: prefilled?.disaggregatedParams,
      promptTokenIds: prefilled?.promptTokenIds ?? this.message.promptTokenIds,
      stream: this.spec.stream,
      generatedTokenIds: [],
    });
  }

  close(): void {
    // The channels belong to whoever opened them.
  }

  private prefill(worker: LegServiceClient): Promise<PrefillResponse> {
    return new Promise((resolve, reject) => {
      worker.prefill(this.message, new Metadata(), deadline(), (error, answer) => {
        if (error === null) resolve(answer);
        else reject(error);
      });
    });
  }

  private generate(worker: LegServiceClient, pending: Pending, message: GenerateRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const call = worker.generate(message, new Metadata(), deadline());
      call.on('data', () => {
        pending.firstTokenAt ??= performance.now();
        pending.tokens += 1;
      });
      call.once('end', resolve);
      call.once('error', reject);
    });
  }
}

function deadline(): { deadline: number } {
  return { deadline: Date.now() + 120_000 };
}
