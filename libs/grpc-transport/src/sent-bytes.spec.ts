import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';

import { Metadata } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BytesBuilder, giveBack } from '@roost/held-bytes';
import { eventually } from '@roost/testing';

import { GrpcConnection, type GrpcMethod } from './grpc-connection.js';

// Owns: that a call's bytes stay in their place until they are sent, although whoever made the call gave them back, and no longer.

const LONG = 3_000_000;
/** More than the buffers of sockets hold. */
const VERY_LONG = 50_000_000;
const UNTOUCHED = 'a'.charCodeAt(0);

const BYTES: GrpcMethod<Buffer, null> = {
  path: '/test.Service/Method',
  encode: (bytes) => [bytes],
  decode: () => null,
};

/** Of what is read from a call's message, the bytes that were overwritten. */
const overwrittenIn = (piece: Buffer): number => piece.filter((byte) => byte === 0).length;

/** Lets each call have two gigabytes under way. */
function settingsFrame(): Buffer {
  const [SETTINGS, INITIAL_WINDOW_SIZE] = [4, 4];
  const frame = Buffer.alloc(9 + 6);
  frame[2] = 6;
  frame[3] = SETTINGS;
  frame.writeUInt16BE(INITIAL_WINDOW_SIZE, 9);
  frame.writeUInt32BE(2 ** 31 - 1, 11);
  return frame;
}

/** Lets the connection have another gigabyte under way. */
function windowUpdateFrame(): Buffer {
  const WINDOW_UPDATE = 8;
  const frame = Buffer.alloc(9 + 4);
  frame[2] = 4;
  frame[3] = WINDOW_UPDATE;
  frame.writeUInt32BE(2 ** 30, 9);
  return frame;
}

describe('the bytes of a call', () => {
  let server: Http2Server;
  let servers: { close: () => unknown }[];
  let connection: GrpcConnection;
  let sockets: Socket[];
  let calls: ServerHttp2Stream[];

  beforeEach(async () => {
    [sockets, calls] = [[], []];
    server = createServer({ settings: { initialWindowSize: 2 ** 30 }, maxSessionMemory: Number.MAX_SAFE_INTEGER });
    servers = [server];
    server.on('connection', (socket: Socket) => sockets.push(socket));
    server.on('session', (session) => session.setLocalWindowSize(2 ** 30));
    server.on('stream', (call: ServerHttp2Stream) => {
      calls.push(call.on('error', () => undefined));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    connection = new GrpcConnection(`127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  });

  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    connection.close();
    for (const each of servers) each.close();
  });

  /** A call whose bytes are given back at once; what takes their memory then is zeroes. */
  function begin(
    signal: AbortSignal,
    length = LONG,
  ): { readonly ended: Promise<unknown>; readonly isSent: () => boolean } {
    const builder = new BytesBuilder(length);
    builder.add(Buffer.alloc(length, UNTOUCHED));
    const bytes = builder.finish();
    const bounds = { signal, deadline: Date.now() + 60_000 };
    const ended = connection.unary(BYTES, bytes, new Metadata(), bounds).catch((error: unknown) => error);
    giveBack(bytes);
    let zeroes: Buffer | null = null;
    const isSent = (): boolean => {
      if (bytes.length === 0) zeroes ??= Buffer.alloc(length);
      return zeroes !== null;
    };
    return { ended, isSent };
  }

  it('are gone when all are on their way to the peer, which gets them untouched', async () => {
    const { isSent } = begin(new AbortController().signal);
    await eventually(() => calls.length === 1);
    let [length, overwritten] = [0, 0];
    calls[0]?.on('data', (piece: Buffer) => {
      length += piece.length;
      // The prefix has zeroes of its own.
      overwritten += overwrittenIn(length === piece.length ? piece.subarray(5) : piece);
    });
    await eventually(() => isSent() && length === LONG + 5);
    expect(overwritten).toBe(0);
  });

  it('stay while the peer takes none, also when the call or the connection ends so', async () => {
    let isStuck = false;
    const peer = createTcpServer((socket) => {
      // Windows without end, and nobody who reads: the bytes wait in the connection, not for the peer's leave.
      socket.write(Buffer.concat([settingsFrame(), windowUpdateFrame()]));
      sockets.push(socket);
      socket.once('data', () =>
        socket.once('data', () => {
          isStuck = socket.pause().isPaused();
        }),
      );
    });
    servers.push(peer);
    peer.listen(0, '127.0.0.1');
    await once(peer, 'listening');
    connection = new GrpcConnection(`127.0.0.1:${String((peer.address() as AddressInfo).port)}`);
    const abort = new AbortController();
    const begun = [begin(abort.signal, VERY_LONG), begin(abort.signal)];
    await eventually(() => isStuck);
    abort.abort(new Error('enough'));
    await Promise.all(begun.map(({ ended }) => ended));
    expect(begun.map(({ isSent }) => isSent())).toEqual([false, false]);
    const closed = once(peer, 'close');
    for (const socket of sockets) socket.destroy();
    peer.close();
    await closed;
    expect(begun.map(({ isSent }) => isSent())).toEqual([false, false]);
  });

  it('are never seen after they are gone, wherever calls end', async () => {
    let [overwritten, seen, sent] = [0, 0, 0];
    server.on('stream', (call: ServerHttp2Stream) => {
      let prefix = 5;
      call.on('data', (piece: Buffer) => {
        seen += piece.length;
        overwritten += overwrittenIn(piece.subarray(prefix));
        prefix = Math.max(0, prefix - piece.length);
      });
    });
    for (let round = 0; round < 10; round += 1) {
      const aborts = Array.from({ length: 8 }, () => new AbortController());
      const begun = aborts.map(({ signal }) => begin(signal));
      // Half of the signals abort one after the other, while bytes are on their way.
      for (const abort of aborts.slice(4)) {
        const target = seen + (round * LONG) / 5;
        await eventually(() => seen >= target || begun.every(({ isSent }) => isSent()));
        abort.abort(new Error('enough'));
      }
      await eventually(() => begun.slice(0, 4).every(({ isSent }) => isSent()));
      sent += begun.filter(({ isSent }) => isSent()).length;
      for (const abort of aborts) abort.abort(new Error('enough'));
      await Promise.all(begun.map(({ ended }) => ended));
    }
    expect(sent).toBeGreaterThanOrEqual(40);
    expect(sent).toBeLessThan(80);
    expect(overwritten).toBe(0);
  });
});
