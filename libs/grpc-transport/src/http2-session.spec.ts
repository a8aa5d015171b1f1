import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Http2Session } from './http2-session.js';

// Owns: when a peer that takes connections and does not answer is given up. What becomes of calls is for GrpcConnection.

const HEADERS = { ':method': 'POST', ':path': '/' };

describe('Http2Session', () => {
  let server: Server;
  let session: Http2Session;

  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    session = new Http2Session(`127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });

  afterEach(() => {
    jest.useRealTimers();
    session.close();
    server.close();
  });

  it('gives a peer up that leaves a ping unanswered, and connects anew', async () => {
    const [first, call] = [once(server, 'connection'), session.request(HEADERS)];
    const failed = once(call, 'error');
    const [socket] = (await first) as [Socket];
    await once(socket, 'data');
    jest.advanceTimersByTime(14_000);
    expect(call.destroyed).toBe(false);
    jest.advanceTimersByTime(1_000);
    const [error] = (await failed) as [Error];
    expect(error.message).toBe('the peer does not answer');
    const second = once(server, 'connection');
    session.request(HEADERS).on('error', () => undefined);
    const [again] = (await second) as [Socket];
    for (const each of [socket, again]) each.destroy();
  });
});
