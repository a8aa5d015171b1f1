import type { Metadata } from '@grpc/grpc-js';
import { RoostError, WORKER_INCARNATION } from '@roost/protocol';

/**
 * Takes only what is meant for this very process. Where workers have restarted, a name may lead to another one than the
 * edge knows by it, and an edge that took one for the other would look for caches where they are not.
 *
 * @param incarnation what this worker says of itself
 * @throws RoostError `worker_unavailable` when the call names another; a call that names none is for any worker
 */
export function requireAddressee(metadata: Metadata, incarnation: string): void {
  const addressee = metadata.get(WORKER_INCARNATION)[0];
  if (addressee === undefined || addressee === incarnation) return;
  throw new RoostError('worker_unavailable', 'the worker that this was meant for is gone: another is in its place');
}
