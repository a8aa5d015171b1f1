import type { Metadata } from '@grpc/grpc-js';
import { Inject, Injectable, UseGuards } from '@nestjs/common';
import { HandoffGuard } from '@roost/affinity-auth/guards';
import { ENGINE, type Engine, type KvExport, type KvHandle, KvMismatch } from '@roost/engine';
import { type CallContext, GrpcService } from '@roost/grpc-transport';
import type { Span } from '@roost/observability';
import {
  KvTransferServiceService,
  type PullRequest,
  type PullResponse,
  type ReleaseRequest,
  type ReleaseResponse,
  RoostError,
} from '@roost/protocol';

import { beginLeg, codeOf } from '../metrics/leg-spans.js';
import { WORKER_PARTS, type WorkerParts } from '../worker-parts.js';

import { sealed } from './checked-stream.js';
import { HeldHandoffs } from './held-handoffs.js';

/** Gives held caches to the generation workers that ask for them with a right signature. */
@Injectable()
@GrpcService(KvTransferServiceService)
@UseGuards(HandoffGuard)
export class KvTransferService {
  constructor(
    @Inject(ENGINE) private readonly engine: Engine,
    private readonly held: HeldHandoffs,
    @Inject(WORKER_PARTS) private readonly parts: Pick<WorkerParts, 'metrics' | 'tracer'>,
  ) {}

  pull(request: PullRequest, metadata: Metadata, { signal }: CallContext): AsyncIterable<PullResponse> {
    const span = beginLeg(this.parts.tracer, 'send KV cache', metadata);
    const messages = this.held.read(request, signal, ({ handle, firstTokens, usage }) =>
      sealed(this.exportKv(handle, request), { firstTokens, usage }),
    );
    return this.observed(messages, span);
  }

  private exportKv(handle: KvHandle, { skipTokens }: PullRequest): KvExport {
    try {
      return this.engine.exportKv(handle, skipTokens);
    } catch (error) {
      if (!(error instanceof KvMismatch)) throw error;
      throw new RoostError('invalid_request', error.message, { param: 'skip_tokens', cause: error });
    }
  }

  private async *observed(messages: AsyncIterable<PullResponse>, span: Span): AsyncGenerator<PullResponse> {
    let outcome = 'client_closed_request';
    try {
      for await (const message of messages) {
        if (message.chunk !== undefined) {
          this.parts.metrics.add('handoffBytes', { direction: 'sent' }, message.chunk.length);
        }
        yield message;
      }
      outcome = 'ok';
    } catch (error) {
      outcome = codeOf(error);
      throw error;
    } finally {
      span.end(outcome);
    }
  }

  release(request: ReleaseRequest): Promise<ReleaseResponse> {
    return Promise.resolve({ released: this.held.release(request.ctxRequestId, request.encodedOpaqueState) });
  }
}
