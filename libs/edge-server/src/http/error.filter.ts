import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { PinoLogger } from '@roost/observability';
import { RoostError } from '@roost/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { RequestRecorder, routeOf } from '../metrics/request-recorder.js';

import { allowedMethods } from './allowed-methods.js';
import { httpErrorOf, sendError } from './error-answer.js';

/** Answers whatever goes wrong in or before a handler in the OpenAI envelope. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: PinoLogger,
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
    private readonly recorder: RequestRecorder,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const error = httpErrorOf(thrown);
    this.recorder.ended(routeOf(http.getRequest<FastifyRequest>().url), error.code);
    if (error.code === 'internal') {
      const requestId = reply.getHeader('x-roost-request-id');
      this.logger.error({ err: error.cause, request_id: requestId }, 'a request failed unexpectedly');
    }
    if (reply.sent) return;
    if (error.code === 'not_found') this.answerNotFound(http.getRequest<FastifyRequest>(), reply, error);
    else sendError(reply, error);
  }

  /** A path that takes other methods is there; only the method is wrong. */
  private answerNotFound({ method, url }: FastifyRequest, reply: FastifyReply, notFound: RoostError): void {
    const [path = ''] = url.split('?');
    const allowed = allowedMethods(this.adapterHost.httpAdapter.getInstance(), path);
    if (allowed.length === 0) {
      sendError(reply, notFound);
      return;
    }
    const list = allowed.join(', ');
    void reply.header('allow', list);
    sendError(reply, new RoostError('method_not_allowed', `${path} does not take ${method}: use ${list}`));
  }
}
