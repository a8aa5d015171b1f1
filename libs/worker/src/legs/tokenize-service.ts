import type { Metadata } from '@grpc/grpc-js';
import { Inject, Injectable } from '@nestjs/common';
import { GrpcService } from '@roost/grpc-transport';
import { encodeTokenIds, type TokenizeRequest, type TokenizeResponse, TokenizeServiceService } from '@roost/protocol';

import { WORKER_PARTS, type WorkerParts } from '../worker-parts.js';

import { requireAddressee } from './addressee.js';
import { readPrompt } from './leg-request.js';

/** Tells edges the tokens of prompts. It believes nothing of what they say, and holds nothing: no guard stands before it. */
@Injectable()
@GrpcService(TokenizeServiceService)
export class TokenizeService {
  constructor(@Inject(WORKER_PARTS) private readonly parts: Pick<WorkerParts, 'engine' | 'incarnation'>) {}

  async tokenize(message: TokenizeRequest, metadata: Metadata): Promise<TokenizeResponse> {
    const { engine, incarnation } = this.parts;
    requireAddressee(metadata, incarnation);
    return { promptTokenIds: encodeTokenIds(await readPrompt(engine, message)) };
  }
}
