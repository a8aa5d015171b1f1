import type { Socket } from 'node:net';

import { errorEnvelope } from '@roost/openai-api';
import { RoostError } from '@roost/protocol';

/** Answers what is not even an HTTP request - too many header bytes, bad syntax - and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new RoostError('headers_too_large', 'the request headers are larger than edge.header_limit_bytes: send less')
      : new RoostError('invalid_request', 'this is not a valid HTTP request');
  const body = JSON.stringify(errorEnvelope(answer));
  const status = answer.kind.http === 431 ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${String(Buffer.byteLength(body))}\r\nconnection: close\r\n\r\n${body}`,
  );
}
