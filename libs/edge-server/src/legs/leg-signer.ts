import { Metadata } from '@grpc/grpc-js';
import { signAffinity, signHandoff, writeMetadata } from '@roost/affinity-auth';
import { DISAGG_AUTH, RoostError, SUBAGENT_AFFINITY_AUTH, SUBAGENT_AFFINITY_ID } from '@roost/protocol';

/** What a leg's metadata is made from; every attempt of a leg has a request id, and so a signature, of its own. */
export interface LegClaim {
  readonly role: 'CONTEXT' | 'GENERATION';
  readonly model: string;
  readonly conversationId: string | null;
  /** Null where affinity does not apply to this leg. */
  readonly subagentAffinityId: string | null;
  readonly requestType: string | null;
  readonly disaggRequestId: bigint | null;
}

/** The fields that tell a worker where a KV cache lies. */
export interface HandoffFields {
  readonly ctxInfoEndpoint: string | null;
  readonly encodedOpaqueState: string | null;
}

/** Signs what workers may only believe of an edge. */
export class LegSigner {
  /** @param key the shared secret that signs; null when none is configured, which affinity does not allow */
  constructor(private readonly key: string | null) {}

  /** The metadata of a leg: the parent session and, where there is one, the handoff, both signed. */
  metadataFor(claim: LegClaim, handoff: HandoffFields | null): Metadata {
    const metadata = new Metadata();
    this.addAffinity(metadata, claim);
    if (handoff !== null) this.addHandoff(metadata, handoff);
    return metadata;
  }

  /** The metadata of a call about a held cache. */
  metadataForTransfer(handoff: HandoffFields): Metadata {
    const metadata = new Metadata();
    this.addHandoff(metadata, handoff);
    return metadata;
  }

  private addAffinity(metadata: Metadata, claim: LegClaim): void {
    const { subagentAffinityId } = claim;
    if (subagentAffinityId === null) return;
    if (this.key === null) {
      throw new RoostError('internal', 'Subagent affinity requires internal_request_auth_key');
    }
    writeMetadata(metadata, SUBAGENT_AFFINITY_ID, subagentAffinityId);
    writeMetadata(metadata, SUBAGENT_AFFINITY_AUTH, signAffinity(this.key, { ...claim, subagentAffinityId }));
  }

  private addHandoff(metadata: Metadata, handoff: HandoffFields): void {
    if (this.key !== null) writeMetadata(metadata, DISAGG_AUTH, signHandoff(this.key, handoff));
  }
}
