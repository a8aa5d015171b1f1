import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { PinoLogger } from '@roost/observability';
import type { FastifyReply } from 'fastify';

import { httpErrorOf, sendError } from './error-answer.js';

/** Answers whatever goes wrong in or before a handler in the OpenAI envelope. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: PinoLogger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error = httpErrorOf(thrown);
    if (error.code === 'internal') this.logger.error({ err: error.cause }, 'a request failed unexpectedly');
    if (!reply.sent) sendError(reply, error);
  }
}
