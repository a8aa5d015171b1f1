import { Inject, Injectable } from '@nestjs/common';
import { type CallContext, GrpcService } from '@roost/grpc-transport';
import { type FollowRequest, type FollowResponse, KvEventServiceService } from '@roost/protocol';

import { WORKER_PARTS, type WorkerParts } from '../worker-parts.js';

import { KvEventReader } from './kv-event-reader.js';

/** Changes of one rank that a reader may leave unread before it is told the whole anew. */
const MAX_UNREAD = 65_536;

/** Tells edges what the ranks hold. */
@Injectable()
@GrpcService(KvEventServiceService)
export class KvEventService {
  constructor(@Inject(WORKER_PARTS) private readonly parts: WorkerParts) {}

  async *follow(
    _request: FollowRequest,
    _metadata: unknown,
    { signal }: CallContext,
  ): AsyncGenerator<FollowResponse, void, undefined> {
    const { engine, inFlight, incarnation } = this.parts;
    const reader = new KvEventReader(engine.info.numRanks, MAX_UNREAD, (rank) => engine.storedBlocks(rank));
    const stop = engine.onKvEvent((event) => reader.note(event));
    try {
      for await (const { stored, removed, ...message } of reader.messages(AbortSignal.any([signal, inFlight.over]))) {
        yield { ...message, incarnation, stored: [...stored], removed: [...removed] };
      }
    } finally {
      stop();
    }
  }
}
