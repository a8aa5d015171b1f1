import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import {
  DISAGG_AUTH,
  type GenerateRequest,
  type PrefillRequest,
  type PullRequest,
  type ReleaseRequest,
} from '@roost/protocol';

import { type AcceptedHandoff, acceptHandoff } from '../accept-handoff.js';
import type { HandoffPayload } from '../handoff-signature.js';
import { type ReadableMetadata, readMetadata } from '../metadata-value.js';

import { AFFINITY_AUTH_OPTIONS, type AffinityAuthOptions } from './affinity-auth-options.js';
import { refuseOverRpc, reportRefusal } from './refusal.js';

type Message = PrefillRequest | GenerateRequest | PullRequest | ReleaseRequest;

/** Lets a call pass only if an edge signed the handoff that it is about, if any (reference 4.3 and 5). */
@Injectable()
export class HandoffGuard implements CanActivate {
  private warned = false;

  constructor(
    @Inject(AFFINITY_AUTH_OPTIONS)
    private readonly options: AffinityAuthOptions,
  ) {}

  /** @throws RpcException INVALID_ARGUMENT when a handoff is not proved, or cannot be served by this worker */
  canActivate(context: ExecutionContext): boolean {
    const rpc = context.switchToRpc();
    const message = rpc.getData<Message>();
    const metadata = rpc.getContext<ReadableMetadata>();
    const { warning } = refuseOverRpc(
      () => this.accept(message, metadata),
      ({ code }) => {
        if (code !== 'invalid_handoff_auth') return;
        reportRefusal(this.options, 'handoff', readMetadata(metadata, DISAGG_AUTH));
      },
    );
    if (warning !== undefined && !this.warned) {
      this.warned = true;
      this.options.warn(warning);
    }
    return true;
  }

  private accept(message: Message, metadata: ReadableMetadata): AcceptedHandoff {
    return acceptHandoff({
      ...handoffOf(message),
      keys: this.options.keys,
      signature: readMetadata(metadata, DISAGG_AUTH),
      required: isTransfer(message),
      hasCacheTransceiver: this.options.hasCacheTransceiver ?? true,
    });
  }
}

function isTransfer(message: Message): message is PullRequest | ReleaseRequest {
  return 'encodedOpaqueState' in message;
}

function handoffOf(message: Message): HandoffPayload {
  if (isTransfer(message)) {
    // These fields have no presence on the wire: the empty text is how an absent one arrives.
    return {
      ctxInfoEndpoint: message.ctxInfoEndpoint === '' ? null : message.ctxInfoEndpoint,
      encodedOpaqueState: message.encodedOpaqueState === '' ? null : message.encodedOpaqueState,
    };
  }
  return {
    ctxInfoEndpoint: message.disaggregatedParams?.ctxInfoEndpoint ?? null,
    encodedOpaqueState: message.disaggregatedParams?.encodedOpaqueState ?? null,
  };
}
