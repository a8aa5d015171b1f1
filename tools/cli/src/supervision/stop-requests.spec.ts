import { EventEmitter } from 'node:events';

import { describe, expect, it } from '@jest/globals';

import type { Clock } from './clock.js';
import { onStopRequest } from './stop-requests.js';

function listen(): { target: EventEmitter; calls: string[]; advance: (milliseconds: number) => void; off: () => void } {
  let time = 1_000;
  const clock: Clock = { now: () => time, delay: () => Promise.reject(new Error('not used')) };
  const target = new EventEmitter();
  const calls: string[] = [];
  const off = onStopRequest(target, clock, { stop: () => calls.push('stop'), kill: () => calls.push('kill') });
  return { target, calls, advance: (milliseconds) => (time += milliseconds), off };
}

describe('onStopRequest', () => {
  it('takes one Ctrl-C that arrives from the terminal, npm and the start script as one request', () => {
    const { target, calls, advance } = listen();
    target.emit('SIGINT');
    advance(5);
    target.emit('SIGINT');
    advance(5);
    target.emit('SIGINT');
    expect(calls).toEqual(['stop']);
  });

  it('takes a later one as the request to end at once, and listens no longer', () => {
    const { target, calls, advance } = listen();
    target.emit('SIGTERM');
    advance(400);
    target.emit('SIGINT');
    target.emit('SIGINT');
    expect(calls).toEqual(['stop', 'kill']);
    expect(target.eventNames()).toEqual([]);
  });

  it('stops when the parent process is gone', () => {
    const { target, calls } = listen();
    target.emit('disconnect');
    expect(calls).toEqual(['stop']);
  });

  it('leaves nothing behind', () => {
    const { target, off } = listen();
    off();
    expect(target.eventNames()).toEqual([]);
  });
});
