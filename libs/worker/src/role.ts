import { RoostError } from '@roost/protocol';

/** The role that a worker was configured with; a worker without one takes every leg. */
export class ConfiguredRole {
  constructor(readonly name: 'CONTEXT' | 'GENERATION' | null) {}

  /** @throws RoostError `invalid_request` on a generation worker */
  requireContext(): void {
    if (this.name === 'GENERATION') throw this.refusal('context_only');
  }

  /** @throws RoostError `invalid_request` for a generation leg on a context worker */
  requireGeneration(requestType: string | null): void {
    if (this.name === 'CONTEXT' && requestType !== null) throw this.refusal(requestType);
  }

  private refusal(requestType: string): RoostError {
    const message = `this worker's role is ${String(this.name)}: it takes no ${requestType} requests`;
    return new RoostError('invalid_request', message, { param: 'request_type' });
  }
}
