import { Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { WORKER_INCARNATION } from '@roost/protocol';

import { requireAddressee } from './addressee.js';

// Owns: which calls a worker takes for its own.

function callFor(incarnation: string | null): Metadata {
  const metadata = new Metadata();
  if (incarnation !== null) metadata.set(WORKER_INCARNATION, incarnation);
  return metadata;
}

describe('requireAddressee', () => {
  it.each([
    ['that is meant for it', callFor('this')],
    ['that names nobody', callFor(null)],
  ])('takes a call %s', (_, metadata) => {
    expect(() => requireAddressee(metadata, 'this')).not.toThrow();
  });

  it('sends a call that is meant for another process away, so that the edge looks for that', () => {
    expect(() => requireAddressee(callFor('earlier'), 'this')).toThrow(
      expect.objectContaining({ code: 'worker_unavailable' }),
    );
  });
});
