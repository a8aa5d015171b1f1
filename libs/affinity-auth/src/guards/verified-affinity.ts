import { Injectable } from '@nestjs/common';
import type { GenerateRequest, PrefillRequest } from '@roost/protocol';

/** The parent sessions that the guard has verified, for as long as their requests live. A handler learns a parent session here only. */
@Injectable()
export class VerifiedAffinity {
  private readonly accepted = new WeakMap<PrefillRequest | GenerateRequest, string | null>();

  /** Remembers what the guard has accepted for a request: a parent session, or that there is none. */
  remember(request: PrefillRequest | GenerateRequest, subagentAffinityId: string | null): void {
    this.accepted.set(request, subagentAffinityId);
  }

  /**
   * The parent session that placement may obey for a request, or null when there is none.
   *
   * @throws Error when the guard has not let this very request pass
   */
  of(request: PrefillRequest | GenerateRequest): string | null {
    const subagentAffinityId = this.accepted.get(request);
    if (subagentAffinityId === undefined) throw new Error('AffinityGuard has not run for this request');
    return subagentAffinityId;
  }
}
