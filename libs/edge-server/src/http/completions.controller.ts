import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ServeRequest } from '../request/serve-request.js';

/** The two endpoints that generate. */
@Controller('v1')
export class CompletionsController {
  constructor(private readonly requests: ServeRequest) {}

  @Post('chat/completions')
  chat(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.requests.serve('chat', request, reply);
  }

  @Post('completions')
  completions(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.requests.serve('completions', request, reply);
  }
}
