import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';

import { widenReceiveWindows } from './receive-windows.js';

// Owns: that a client may send a long message at once, after its first call.

const LONG = 1_000_000;

describe('receive windows', () => {
  let server: Http2Server;
  let client: ClientHttp2Session;

  afterEach(() => {
    client.destroy();
    server.close();
  });

  it('are wide from the second call on', async () => {
    widenReceiveWindows();
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    await once(client, 'remoteSettings');
    expect(client.remoteSettings.initialWindowSize).toBeLessThan(LONG);
    const widened = once(client, 'remoteSettings');
    client.request({ ':method': 'POST' });
    await widened;
    expect(client.remoteSettings.initialWindowSize).toBeGreaterThan(LONG);
  });
});
