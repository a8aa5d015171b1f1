import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import {
  type GenerateRequest,
  type PrefillRequest,
  SUBAGENT_AFFINITY_AUTH,
  SUBAGENT_AFFINITY_ID,
} from '@roost/protocol';

import { acceptAffinity } from '../accept-affinity.js';
import { type ReadableMetadata, readMetadata } from '../metadata-value.js';
import { decideRole } from '../server-role.js';

import { AFFINITY_AUTH_OPTIONS, type AffinityAuthOptions } from './affinity-auth-options.js';
import { refuseOverRpc, reportRefusal } from './refusal.js';
import { VerifiedAffinity } from './verified-affinity.js';

/** Lets a leg pass only if the parent session that it claims, if any, was set by an edge for this very leg (reference 5). */
@Injectable()
export class AffinityGuard implements CanActivate {
  constructor(
    @Inject(AFFINITY_AUTH_OPTIONS)
    private readonly options: AffinityAuthOptions,
    @Inject(VerifiedAffinity) private readonly verified: VerifiedAffinity,
  ) {}

  /**
   * Leaves the verified parent session in {@link VerifiedAffinity}.
   *
   * @throws RpcException INVALID_ARGUMENT when the claim is not proved, or is given in two ways
   */
  canActivate(context: ExecutionContext): boolean {
    const rpc = context.switchToRpc();
    const request = rpc.getData<PrefillRequest | GenerateRequest>();
    const metadata = rpc.getContext<ReadableMetadata>();
    this.verified.remember(
      request,
      refuseOverRpc(
        () => this.accept(request, metadata),
        ({ code }) => {
          if (code !== 'invalid_affinity_auth') return;
          reportRefusal(this.options, 'affinity', readMetadata(metadata, SUBAGENT_AFFINITY_AUTH));
        },
      ),
    );
    return true;
  }

  private accept(request: PrefillRequest | GenerateRequest, metadata: ReadableMetadata): string | null {
    const params = request.disaggregatedParams;
    const question = {
      role: this.options.role,
      requestType: params?.requestType ?? null,
      hasDisaggregatedParams: params !== undefined,
    };
    // Whoever sends a request to be served whole is not an edge: its metadata is ignored, not judged.
    if (decideRole(question) === null) return null;
    return acceptAffinity({
      ...question,
      keys: this.options.keys,
      model: request.model,
      conversationId: request.conversationId ?? null,
      disaggRequestId: params?.disaggRequestId ?? null,
      affinityId: readMetadata(metadata, SUBAGENT_AFFINITY_ID),
      signature: readMetadata(metadata, SUBAGENT_AFFINITY_AUTH),
    });
  }
}
