import { HttpException } from '@nestjs/common';
import { errorEnvelope } from '@roost/openai-api';
import { type ErrorCode, RoostError } from '@roost/protocol';
import type { FastifyReply } from 'fastify';

const CODE_OF_HTTP_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  404: 'not_found',
  405: 'method_not_allowed',
  415: 'unsupported_media_type',
  431: 'headers_too_large',
};

const RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = { overloaded: 1, no_instance: 2 };

/** Any error that reaches the HTTP layer, as one of the table. Unexpected ones tell the client nothing. */
export function httpErrorOf(error: unknown): RoostError {
  if (error instanceof RoostError) return error;
  const status = statusOf(error);
  const code = status === undefined ? undefined : CODE_OF_HTTP_STATUS[status];
  if (code === undefined) return new RoostError('internal', 'internal error', { cause: error });
  return new RoostError(code, messageOf(code, error), { cause: error });
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
}

function messageOf(code: ErrorCode, error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  // The commonest slip of a client's configuration: a base URL without the version.
  const lacksVersion = code === 'not_found' && /^Cannot [A-Z]+ \/(chat\/completions|completions|models)\b/.test(text);
  return lacksVersion ? `${text}; the API lies under /v1` : text;
}

/** Answers a request with an error in the OpenAI envelope; its status, and when to come again where that helps. */
export function sendError(reply: FastifyReply, error: RoostError): void {
  const retryAfter = RETRY_AFTER_S[error.code];
  if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
  void reply
    .status(error.kind.http)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorEnvelope(error)));
}
