import { Inject, Injectable, UseGuards } from '@nestjs/common';
import { HandoffGuard } from '@roost/affinity-auth/guards';
import { ENGINE, type Engine } from '@roost/engine';
import { type CallContext, GrpcService } from '@roost/grpc-transport';
import {
  KvTransferServiceService,
  type PullRequest,
  type PullResponse,
  type ReleaseRequest,
  type ReleaseResponse,
} from '@roost/protocol';

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
    @Inject(WORKER_PARTS) private readonly parts: Pick<WorkerParts, 'metrics'>,
  ) {}

  pull(request: PullRequest, _metadata: unknown, { signal }: CallContext): AsyncIterable<PullResponse> {
    return this.held.read(request, signal, ({ handle, firstTokens, usage }) =>
      this.counted(sealed(this.engine.exportKv(handle, request.skipTokens), { firstTokens, usage })),
    );
  }

  private async *counted(messages: AsyncIterable<PullResponse>): AsyncGenerator<PullResponse> {
    for await (const message of messages) {
      if (message.chunk !== undefined) {
        this.parts.metrics.add('handoffBytes', { direction: 'sent' }, message.chunk.length);
      }
      yield message;
    }
  }

  release(request: ReleaseRequest): Promise<ReleaseResponse> {
    return Promise.resolve({ released: this.held.release(request.ctxRequestId, request.encodedOpaqueState) });
  }
}
