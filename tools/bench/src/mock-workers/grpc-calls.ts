import { Buffer } from 'node:buffer';
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';

/** A call that has come in whole. */
export interface Call {
  /** E.g. `/roost.worker.v1.LegService/Generate`. */
  readonly path: string;
  /** The beginning of the message, at least {@link BEGINNING_BYTES} of a longer one: a mock does not read prompts. */
  readonly beginning: Buffer;
  readonly stream: ServerHttp2Stream;
}

/** Bytes that a peer may send before they have been read: as much as it likes. */
const WINDOW = 2 ** 31 - 1;
/** More than the small fields of a message have. */
const BEGINNING_BYTES = 2_048;
/** Of a message as it travels: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;

const NOTHING: Buffer = Buffer.alloc(0);
const HEADERS = { ':status': 200, 'content-type': 'application/grpc+proto' };
const TRAILERS = { 'grpc-status': '0' };

/**
 * A gRPC server over Node's HTTP/2, which knows as much of gRPC as a mock has to: it counts what comes and keeps only the
 * beginning. A real one puts messages together and takes them apart, at several times the cost of the edge's own work on
 * them.
 */
export function serveCalls(onCall: (call: Call) => void): Http2Server {
  // As workers do: a thousand answers with the token ids of 250 KB are more than the 10 MB that Node lets a connection hold.
  const server = createServer({ settings: { initialWindowSize: WINDOW }, maxSessionMemory: Number.MAX_SAFE_INTEGER });
  server.on('session', (session: ServerHttp2Session) => session.setLocalWindowSize(WINDOW));
  server.on('stream', (stream: ServerHttp2Stream, { ':path': path = '' }) => {
    let begun: Buffer = NOTHING;
    stream.on('data', (data: Buffer) => {
      if (begun.length < BEGINNING_BYTES) begun = begun.length === 0 ? data : Buffer.concat([begun, data]);
    });
    stream.on('end', () => onCall({ path, beginning: begun.subarray(PREFIX_BYTES), stream }));
    stream.on('error', () => undefined);
  });
  return server;
}

/**
 * A message as it travels.
 *
 * @param more bytes of the message that follow
 */
export function framed(message: Uint8Array, more = 0): Buffer {
  const frame = Buffer.alloc(PREFIX_BYTES + message.length);
  frame.writeUInt32BE(message.length + more, 1);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

/** Begins an answer; whoever ends the stream ends the call well. */
export function beginAnswer(stream: ServerHttp2Stream): void {
  stream.respond(HEADERS, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers(TRAILERS));
}

/** Answers a call with one framed message. */
export function answer(stream: ServerHttp2Stream, frame: Buffer): void {
  beginAnswer(stream);
  stream.end(frame);
}
