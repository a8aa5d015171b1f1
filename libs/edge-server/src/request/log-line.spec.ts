import { describe, expect, it } from '@jest/globals';
import { type ErrorCode, RoostError } from '@roost/protocol';

import { LegAttempt } from './leg-attempt.js';
import { logLineOf } from './log-line.js';
import { ServedRequest } from './served-request.js';

// Owns: what a request's log line says of a failure.

function lineOf(code: ErrorCode, attempts: readonly (readonly [server: string, outcome: ErrorCode])[], cause?: Error) {
  const identity = { conversationId: 'c', subagentAffinityId: null };
  const client = { endpoint: 'chat', model: 'm', stream: false };
  const signal = new AbortController().signal;
  const request = new ServedRequest('r', client as never, identity as never, 0, signal);
  for (const [server, outcome] of attempts) {
    const attempt = new LegAttempt('context', server, {} as never, null);
    attempt.end(outcome);
    request.record.attempts.push(attempt);
  }
  request.record.error = new RoostError(code, 'said to the client', { cause });
  return logLineOf(request, 0);
}

describe('the log line of a failed request', () => {
  it('names the instance that refused', () => {
    expect(lineOf('invalid_affinity_auth', [['a:1', 'invalid_affinity_auth']])).toMatchObject({
      outcome: 'invalid_affinity_auth',
      error: 'said to the client',
      failed_on: 'a:1',
    });
  });

  it('names the last of several', () => {
    const attempts = [
      ['a:1', 'worker_unavailable'],
      ['b:1', 'worker_unavailable'],
    ] as const;
    expect(lineOf('worker_unavailable', attempts, new Error('reset'))).toMatchObject({
      failed_on: 'b:1',
      cause: 'reset',
    });
  });

  it.each([
    ['client_closed_request', [['a:1', 'client_closed_request']]],
    ['no_instance', [['a:1', 'worker_unavailable']]],
    ['overloaded', []],
  ] as const)('names none for %s', (code, attempts) => {
    expect(lineOf(code, attempts)).not.toHaveProperty('failed_on');
  });
});
