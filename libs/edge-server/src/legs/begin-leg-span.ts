import type { Metadata } from '@grpc/grpc-js';

import type { LegAttempt } from '../request/leg-attempt.js';
import type { ServedRequest } from '../request/served-request.js';

/** Begins the span of an attempt's call, and has the call carry it. It ends with the attempt. */
export function beginLegSpan({ span, id }: ServedRequest, attempt: LegAttempt, metadata: Metadata): void {
  if (span.traceId === null) return;
  const attributes = { 'roost.request_id': id, 'roost.instance': attempt.server };
  attempt.span = span.child(`${attempt.leg} leg`, { kind: 'client', attributes });
  attempt.span.carry((field, value) => metadata.set(field, value));
}
