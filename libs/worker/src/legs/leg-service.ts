import type { Metadata } from '@grpc/grpc-js';
import { Inject, Injectable, UseGuards } from '@nestjs/common';
import { AffinityGuard, HandoffGuard, VerifiedAffinity } from '@roost/affinity-auth/guards';
import { type CallContext, GrpcService } from '@roost/grpc-transport';
import {
  DISAGG_AUTH,
  type GenerateRequest,
  type GenerateResponse,
  LegServiceService,
  type PrefillRequest,
  type PrefillResponse,
} from '@roost/protocol';

import { LegObserver } from '../metrics/leg-observer.js';
import { WORKER_PARTS, type WorkerParts } from '../worker-parts.js';

import { requireAddressee } from './addressee.js';
import { runGenerateLeg } from './generate-leg.js';
import { runPrefillLeg } from './prefill-leg.js';

/** Serves both legs, behind the guards that verify what an edge has signed. */
@Injectable()
@GrpcService(LegServiceService)
@UseGuards(AffinityGuard, HandoffGuard)
export class LegService {
  private readonly observer: LegObserver;

  constructor(
    @Inject(WORKER_PARTS) private readonly parts: WorkerParts,
    private readonly verified: VerifiedAffinity,
  ) {
    this.observer = new LegObserver(parts.metrics, parts.tracer);
  }

  prefill(message: PrefillRequest, metadata: Metadata, { signal }: CallContext): Promise<PrefillResponse> {
    const { inFlight, role, incarnation } = this.parts;
    return this.observer.prefill(metadata, (span) =>
      inFlight.run(signal, (bounded) => {
        requireAddressee(metadata, incarnation);
        role.requireContext();
        const subagentAffinityId = this.verified.of(message);
        return runPrefillLeg(this.parts, message, { subagentAffinityId, span }, bounded);
      }),
    );
  }

  generate(message: GenerateRequest, metadata: Metadata, { signal }: CallContext): AsyncIterable<GenerateResponse> {
    const { inFlight, role, incarnation } = this.parts;
    const auth = metadata.get(DISAGG_AUTH)[0];
    const handoffAuth = typeof auth === 'string' ? auth : null;
    return this.observer.generate(metadata, message.disaggregatedParams === undefined, (span) =>
      inFlight.runStream(signal, (bounded) => {
        requireAddressee(metadata, incarnation);
        role.requireGeneration(message.disaggregatedParams?.requestType ?? null);
        const subagentAffinityId = this.verified.of(message);
        return runGenerateLeg(this.parts, message, { subagentAffinityId, handoffAuth, span }, bounded);
      }),
    );
  }
}
