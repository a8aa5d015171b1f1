import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@roost/testing';

import { answerClientError } from './client-errors.js';

// Owns: clients that break HTTP itself are told so, lose their connection even if they never hang up, and get nothing into
// an answer that has begun.

describe('a client that breaks HTTP', () => {
  let server: http.Server;
  const connections = new Set<net.Socket>();

  beforeEach(async () => {
    server = http.createServer({ headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 20 });
    server.on('clientError', answerClientError);
    server.on('connection', (socket) => {
      connections.add(socket);
      socket.on('close', () => connections.delete(socket));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Writes bytes over a connection that this side never closes; collects what comes back. */
  async function send(bytes: string): Promise<{ socket: net.Socket; received: () => string }> {
    let text = '';
    const { port } = server.address() as AddressInfo;
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    await eventually(() => connections.size > 0);
    socket.write(bytes);
    return { socket, received: () => text };
  }

  it.each([
    ['400 Bad Request', 'invalid_request', 'nonsense\r\n\r\n'],
    ['431 Request Header Fields Too Large', 'headers_too_large', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}`],
    ['408 Request Timeout', 'request_timeout', 'GET / HTTP/1.1\r\nx: '],
    ['408 Request Timeout', 'request_timeout', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n12'],
  ])('is answered with %s, %s, and loses its connection', async (status, code, bytes) => {
    const { received } = await send(bytes);
    await eventually(() => connections.size === 0);
    expect(received()).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n`));
    expect(received()).toContain(`"code":"${code}"`);
  });

  it('gets nothing into an answer that has begun', async () => {
    server.on('request', (_, response) => {
      response.write('beginning');
    });
    const { socket, received } = await send('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => received().includes('beginning'));
    socket.write('nonsense\r\n\r\n');
    await eventually(() => connections.size === 0);
    expect(received()).not.toContain('HTTP/1.1 400');
  });
});
