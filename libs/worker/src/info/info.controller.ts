import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { type GetInfoResponse, ROOST_VERSION } from '@roost/protocol';

import { WORKER_PARTS, type WorkerParts } from '../worker-parts.js';

/** Says who this worker is and what its ranks hold. */
@Controller()
export class InfoController {
  constructor(@Inject(WORKER_PARTS) private readonly parts: WorkerParts) {}

  @GrpcMethod('WorkerService', 'getInfo')
  getInfo(): GetInfoResponse {
    const { engine, endpoint, incarnation, role } = this.parts;
    const { info } = engine;
    return {
      model: info.model,
      role: role.name ?? '',
      version: ROOST_VERSION,
      engine: info.engine,
      numRanks: info.numRanks,
      maxBatchSize: info.maxBatchSize,
      maxNumTokens: info.maxNumTokens,
      maxSeqLen: info.maxSeqLen,
      tokensPerBlock: info.tokensPerBlock,
      kvCacheHashAlgo: info.kvCacheHashAlgo,
      promptFormat: info.promptFormat,
      ctxInfoEndpoint: endpoint,
      incarnation,
      ranks: engine.rankStates().map((state) => ({ ...state })),
      queueDepth: this.parts.queue.depth,
    };
  }
}
