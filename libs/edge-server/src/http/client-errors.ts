import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { errorEnvelope } from '@roost/openai-api';
import { RoostError } from '@roost/protocol';

/** How long a client may take to read an answer and hang up: one that does neither must not keep its connection. */
const LINGER_MS = 1_000;

const STATUS_LINES: Partial<Record<number, string>> = {
  408: '408 Request Timeout',
  431: '431 Request Header Fields Too Large',
};

/**
 * Answers what is not even a whole HTTP request - too many header bytes, bad syntax, too late - and closes the connection.
 * Where another answer is on its way already, it only closes the connection: nothing may end up inside that answer.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const answer = answerTo(error);
  const body = JSON.stringify(errorEnvelope(answer));
  const status = STATUS_LINES[answer.kind.http] ?? '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${String(Buffer.byteLength(body))}\r\nconnection: close\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Node keeps the answer that a connection is busy with where only Node's own error handler is meant to look. */
function isAnswering(socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

function answerTo({ code }: NodeJS.ErrnoException): RoostError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new RoostError(
      'headers_too_large',
      'the request headers are larger than edge.header_limit_bytes: send less',
    );
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new RoostError(
      'request_timeout',
      'the request did not arrive within edge.header_timeout_ms and edge.body_timeout_ms: send it faster',
    );
  }
  return new RoostError('invalid_request', 'this is not a valid HTTP request');
}
