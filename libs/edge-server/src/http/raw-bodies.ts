import type { IncomingMessage } from 'node:http';

import { BytesBuilder } from '@roost/held-bytes';
import { RoostError } from '@roost/protocol';
import type { FastifyInstance } from 'fastify';

/**
 * Bodies reach the handlers as the bytes that the client sent: the edge forwards them, and reads them once, where a bad one
 * gets a message that says what is wrong with it. A compressed one is refused: it would reach the workers compressed.
 *
 * @param limit the longest body, in bytes
 */
export function acceptRawBodies(server: FastifyInstance, limit: number): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', ({ headers }, payload: IncomingMessage, done) => {
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding === 'identity') receiveBody(payload, limit, done);
    else done(encodingRefused(encoding));
  });
}

function receiveBody(
  payload: IncomingMessage,
  limit: number,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const announced = Number(payload.headers['content-length'] ?? NaN);
  if (announced > limit) {
    done(bodyTooLarge());
    return;
  }
  const builder = new BytesBuilder(announced);
  const finish = (error: Error | null): void => {
    payload.off('data', take);
    payload.off('end', end);
    payload.off('error', finish);
    if (error === null) {
      done(null, builder.finish());
      return;
    }
    builder.discard();
    done(error instanceof RoostError ? error : goneAway(error));
  };
  const end = (): void => finish(null);
  const take = (piece: Buffer): void => {
    // What else the client sends is let go unread: the stream flows on without a listener.
    if (builder.length + piece.length > limit) finish(bodyTooLarge());
    else builder.add(piece);
  };
  payload.on('data', take);
  payload.on('end', end);
  payload.on('error', finish);
}

function bodyTooLarge(): RoostError {
  return new RoostError('body_too_large', 'the request body is larger than edge.body_limit_bytes: send less');
}

function goneAway(cause: Error): RoostError {
  return new RoostError('client_closed_request', 'the client went away before its body was whole', { cause });
}

function encodingRefused(encoding: string): RoostError {
  const message = `the content encoding ${encoding.slice(0, 40)} is not supported: send the body as it is`;
  return new RoostError('unsupported_media_type', message, { param: 'content-encoding' });
}
