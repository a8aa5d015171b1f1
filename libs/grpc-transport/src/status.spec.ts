import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { ERROR_CODE, ERROR_PARAM } from '@roost/protocol';

import { errorOfStatus } from './status.js';

// Owns: a failed call's status, whatever a peer has put into it, reads as an error of the table.

function failure(code: status, trailers: Readonly<Record<string, string>>): ServiceError {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value);
  return Object.assign(new Error('failed'), { code, details: 'details', metadata });
}

describe('errorOfStatus', () => {
  it('takes a field that is not encoded as it should be for none', () => {
    const trailers = { [ERROR_CODE]: 'invalid_request', [ERROR_PARAM]: '%E0%A4%A' };
    expect(errorOfStatus(failure(status.INVALID_ARGUMENT, trailers))).toMatchObject({
      code: 'invalid_request',
      message: 'details',
      param: null,
    });
  });

  it.each(['__proto__', 'toString', ''])('takes no notice of the code %j, which is not of the table', (code) => {
    expect(errorOfStatus(failure(status.UNAVAILABLE, { [ERROR_CODE]: code }))).toMatchObject({
      code: 'worker_unavailable',
    });
  });
});
