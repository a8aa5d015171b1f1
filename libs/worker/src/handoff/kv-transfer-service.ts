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
  ) {}

  pull(request: PullRequest, _metadata: unknown, { signal }: CallContext): AsyncIterable<PullResponse> {
    return this.held.read(request, signal, ({ handle, firstTokens, usage }) =>
      sealed(this.engine.exportKv(handle, request.skipTokens), { firstTokens, usage }),
    );
  }

  release(request: ReleaseRequest): Promise<ReleaseResponse> {
    return Promise.resolve({ released: this.held.release(request.ctxRequestId, request.encodedOpaqueState) });
  }
}
