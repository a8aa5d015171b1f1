import { once } from 'node:events';
import { constants, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

import { Metadata } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ERROR_CODE, RoostError } from '@roost/protocol';
import { eventually, freePort } from '@roost/testing';

import { GrpcConnection, type GrpcMethod } from './grpc-connection.js';
import { framePrefix } from './message-frames.js';

// Owns: calls over a connection of our own, and whatever a peer may make of them. What comes of a worker that stops answering
// is for end-to-end tests.

const TEXT: GrpcMethod<string, string> = {
  path: '/test.Service/Method',
  encode: (text) => [Buffer.from(text.slice(0, 1)), Buffer.from(text.slice(1))],
  decode: (bytes) => {
    if (bytes.length === 1) throw new Error('one byte is no text');
    return Buffer.from(bytes).toString();
  },
};
const HEAD = { ':status': 200, 'content-type': 'application/grpc' };

const framed = (text: string): Buffer => Buffer.concat([framePrefix([Buffer.from(text)]), Buffer.from(text)]);

/** Answers with these messages and trailers. */
function answer(stream: ServerHttp2Stream, messages: readonly Buffer[], trailers: Record<string, string>): void {
  stream.respond(HEAD, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(Buffer.concat(messages));
}

describe('GrpcConnection', () => {
  let server: Http2Server;
  let connection: GrpcConnection;
  let serve: (stream: ServerHttp2Stream, request: string, headers: Readonly<Record<string, unknown>>) => void;
  let abort: AbortController;

  beforeEach(async () => {
    server = createServer({ maxSessionMemory: Number.MAX_SAFE_INTEGER }).on(
      'stream',
      (stream: ServerHttp2Stream, headers) => {
        const pieces: Buffer[] = [];
        stream.on('data', (piece: Buffer) => pieces.push(piece));
        stream.on('end', () => serve(stream, Buffer.concat(pieces).subarray(5).toString(), headers));
        stream.on('error', () => undefined);
      },
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    connection = new GrpcConnection(`127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    abort = new AbortController();
  });

  afterEach(() => {
    connection.close();
    server.close();
  });

  const bounds = (): { signal: AbortSignal; deadline: number } => ({
    signal: abort.signal,
    deadline: Date.now() + 5_000,
  });
  const unary = (text = 'abc', metadata = new Metadata()): Promise<string> =>
    connection.unary(TEXT, text, metadata, bounds());
  const stream = (graceMs = 0): AsyncGenerator<string, void> =>
    connection.stream(TEXT, 'abc', new Metadata(), { ...bounds(), graceMs });

  it('sends a message in parts, with its metadata and the time that is left', async () => {
    let seen: Readonly<Record<string, unknown>> = {};
    serve = (call, request, headers) => {
      seen = headers;
      answer(call, [framed(`${request}!`)], { 'grpc-status': '0' });
    };
    const metadata = new Metadata();
    metadata.set('key', 'value');
    metadata.set('key-bin', Buffer.from('ü'));
    expect(await unary('abc', metadata)).toBe('abc!');
    const expected = { ':path': TEXT.path, te: 'trailers', key: 'value', 'key-bin': 'w7w=' };
    expect(seen).toMatchObject({ ...expected, 'grpc-timeout': expect.stringMatching(/^\d{1,4}m$/) });
  });

  it.each([
    ['trailers', (call: ServerHttp2Stream, status: Record<string, string>) => answer(call, [], status)],
    [
      'headers',
      (call: ServerHttp2Stream, status: Record<string, string>) =>
        call.respond({ ...HEAD, ...status }, { endStream: true }),
    ],
  ])('reads an error of the table from %s', async (_, refuse) => {
    serve = (call) => refuse(call, { 'grpc-status': '9', 'grpc-message': 'na%C3%AFve', [ERROR_CODE]: 'kv_cache_gone' });
    await expect(unary()).rejects.toMatchObject({ code: 'kv_cache_gone', message: 'naïve' });
    await expect(stream().next()).rejects.toMatchObject({ code: 'kv_cache_gone', message: 'naïve' });
  });

  it.each([
    ['a message that is none', [framed('x')], { 'grpc-status': '0' }],
    ['a compressed message', [Buffer.from([1, 0, 0, 0, 2, 65, 65])], { 'grpc-status': '0' }],
    ['a status that is no number', [], { 'grpc-status': 'x' }],
  ])('takes %s for a failure of the worker', async (_, messages, trailers) => {
    serve = (call) => answer(call, messages, trailers);
    await expect(unary()).rejects.toMatchObject({ code: 'internal', message: 'the worker failed' });
    await expect(stream().next()).rejects.toMatchObject({ code: 'internal', message: 'the worker failed' });
  });

  it.each([
    ['in its prefix', framed('next').subarray(0, 3)],
    ['after its prefix', framed('next').subarray(0, 7)],
  ])('takes a message that is cut off %s for a failure of the worker, not for the end', async (_, rest) => {
    serve = (call) => answer(call, [framed('whole'), rest], { 'grpc-status': '0' });
    await expect(unary()).rejects.toMatchObject({ code: 'internal' });
    const messages = stream();
    expect(await messages.next()).toEqual({ value: 'whole', done: false });
    await expect(messages.next()).rejects.toMatchObject({ code: 'internal' });
  });

  it.each([
    ['ends without another word', (call: ServerHttp2Stream) => call.end()],
    ['is reset', (call: ServerHttp2Stream) => call.close(constants.NGHTTP2_INTERNAL_ERROR)],
  ])('does not believe in success that is claimed before a call that %s', async (_, end) => {
    serve = (call) => {
      call.respond({ ...HEAD, 'grpc-status': '0' });
      call.write(framed('part'), () => end(call));
    };
    await expect(unary()).rejects.toMatchObject({ code: 'worker_unavailable' });
    const messages = stream();
    await messages.next();
    await expect(messages.next()).rejects.toMatchObject({ code: 'worker_unavailable' });
  });

  it('does not send a new peer more calls than it takes at a time', async () => {
    server.updateSettings({ maxConcurrentStreams: 2 });
    serve = (call, request) => answer(call, [framed(request)], { 'grpc-status': '0' });
    const texts = Array.from({ length: 20 }, (_, at) => `call ${String(at)}`);
    expect(await Promise.all(texts.map((text) => unary(text)))).toEqual(texts);
  });

  it('takes an answer without a message for a failure of the worker', async () => {
    serve = (call) => answer(call, [], { 'grpc-status': '0' });
    await expect(unary()).rejects.toMatchObject({ code: 'internal' });
  });

  it.each([
    ['is lost with its connection', (call: ServerHttp2Stream) => call.session?.destroy()],
    ['ends without a status', (call: ServerHttp2Stream) => answer(call, [], {})],
    ['is reset', (call: ServerHttp2Stream) => call.close(constants.NGHTTP2_INTERNAL_ERROR)],
  ])('takes a worker whose call %s for lost, and is of use again', async (_, lose) => {
    serve = lose;
    await expect(unary()).rejects.toMatchObject({ code: 'worker_unavailable' });
    await expect(stream().next()).rejects.toMatchObject({ code: 'worker_unavailable' });
    serve = (call) => answer(call, [framed('again')], { 'grpc-status': '0' });
    expect(await unary()).toBe('again');
  });

  it('fails where nobody listens', async () => {
    const lost = new GrpcConnection(`127.0.0.1:${String(await freePort())}`);
    await expect(lost.unary(TEXT, 'abc', new Metadata(), bounds())).rejects.toMatchObject({
      code: 'worker_unavailable',
      message: 'the worker cannot be reached',
    });
  });

  it('makes a new connection where the peer takes no more calls on the old one, on which those under way end', async () => {
    const sessions = new Set<unknown>();
    const held: ServerHttp2Stream[] = [];
    serve = (call) => void held.push(call);
    const first = unary('1');
    await eventually(() => held.length === 1);
    sessions.add(held[0]?.session);
    held[0]?.session?.goaway(constants.NGHTTP2_NO_ERROR);
    serve = (call) => {
      sessions.add(call.session);
      answer(call, [framed('new')], { 'grpc-status': '0' });
    };
    await eventually(async () => (await unary('2').catch(() => '')) === 'new' && sessions.size === 2);
    const [call] = held;
    if (call !== undefined) answer(call, [framed('old')], { 'grpc-status': '0' });
    expect(await first).toBe('old');
  });

  it.each(['unary', 'stream'])('cancels a %s call when its signal aborts', async (kind) => {
    let call: ServerHttp2Stream | undefined;
    serve = (begun) => (call = begun);
    const answered = kind === 'unary' ? unary() : stream().next();
    await eventually(() => call !== undefined);
    abort.abort(new RoostError('client_closed_request', 'gone'));
    await expect(answered).rejects.toMatchObject({ code: 'client_closed_request' });
    await eventually(() => call?.rstCode === constants.NGHTTP2_CANCEL);
    await expect(unary()).rejects.toMatchObject({ code: 'client_closed_request' });
  });

  it('gets long answers to long messages, however many at a time, of a peer that takes what comes', async () => {
    const window = 2 ** 31 - 1;
    server.updateSettings({ initialWindowSize: window, maxConcurrentStreams: 2 ** 32 - 1 });
    server.on('session', (session) => session.setLocalWindowSize(window));
    serve = (call, request) => answer(call, [framed(request)], { 'grpc-status': '0' });
    const long = 'x'.repeat(250_000);
    const answers = await Promise.all(Array.from({ length: 200 }, () => unary(long)));
    expect(answers.every((text) => text === long)).toBe(true);
  });

  it('keeps no request that a peer answers without taking it', async () => {
    const calls: ServerHttp2Stream[] = [];
    server.removeAllListeners('stream').on('stream', (call: ServerHttp2Stream) => {
      calls.push(call.on('error', () => undefined).pause());
      call.respond({ ...HEAD, 'grpc-status': '3' }, { endStream: true });
    });
    // More than any window of these servers lets through.
    await expect(unary('x'.repeat(20_000_000))).rejects.toMatchObject({ code: 'invalid_request' });
    await eventually(() => calls[0]?.rstCode === constants.NGHTTP2_CANCEL);
    calls[0]?.destroy();
  });

  it('yields messages as they come', async () => {
    let call: ServerHttp2Stream | undefined;
    serve = (begun) => {
      call = begun;
      call.respond(HEAD, { waitForTrailers: true });
      call.write(Buffer.concat([framed('one'), framed('two'), framed('three').subarray(0, 7)]));
    };
    const messages = stream();
    expect([await messages.next(), await messages.next()].map(({ value }) => value)).toEqual(['one', 'two']);
    call?.once('wantTrailers', () => call?.sendTrailers({ 'grpc-status': '0' }));
    call?.end(framed('three').subarray(7));
    expect(await messages.next()).toEqual({ value: 'three', done: false });
    expect(await messages.next()).toMatchObject({ done: true });
  });

  it('slows a sender whose messages are not taken', async () => {
    let written = 0;
    serve = (call) => {
      call.respond(HEAD);
      const more = (): void => {
        while (call.write(framed('x'.repeat(10_000)))) written += 1;
        call.once('drain', more);
      };
      more();
    };
    const messages = stream();
    await messages.next();
    let last = -1;
    await eventually(() => {
      const still = written === last;
      last = written;
      return still;
    });
    expect(written).toBeLessThan(200);
    for (let taken = 0; taken < 200; taken += 1) await messages.next();
    await eventually(() => written > last);
    await messages.return();
  });

  it('cancels a stream that its consumer leaves, unless the end is on its way', async () => {
    const calls: ServerHttp2Stream[] = [];
    serve = (call) => {
      calls.push(call);
      call.respond(HEAD, { waitForTrailers: true });
      call.once('wantTrailers', () => call.sendTrailers({ 'grpc-status': '0' }));
      call.write(framed('last'));
    };
    for (const graceMs of [5_000, 0]) {
      const messages = stream(graceMs);
      await messages.next();
      await messages.return();
    }
    await eventually(() => calls[1]?.rstCode === constants.NGHTTP2_CANCEL);
    calls[0]?.end();
    await eventually(() => calls[0]?.closed === true);
    expect(calls[0]?.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });
});
