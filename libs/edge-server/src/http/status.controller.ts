import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { Instance } from '@roost/fleet';
import { type GetInfoResponse, ROOST_VERSION } from '@roost/protocol';
import type { FastifyReply } from 'fastify';

import { Fleets } from '../fleets/fleets.js';
import { knownModels } from '../fleets/models.js';
import type { RoutedFleet } from '../fleets/routed-fleet.js';
import { Admission } from '../request/admission.js';

import { EDGE_STATUS, type EdgeStatus } from './edge-status.js';
import { openApiDocument } from './openapi-document.js';

/** What the edge says of itself and of the cluster behind it. */
@Controller()
export class StatusController {
  private readonly started = Math.floor(Date.now() / 1_000);

  constructor(
    private readonly fleets: Fleets,
    @Inject(EDGE_STATUS) private readonly status: EdgeStatus,
    private readonly admission: Admission,
  ) {}

  /** 200 when every fleet that is needed has a serving instance and the edge is not going down, else 503. */
  @Get('health')
  health(@Res() reply: FastifyReply): void {
    const ready = this.fleets.ready && !this.status.draining;
    void reply.status(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable' });
  }

  /** 200 for as long as the process answers. */
  @Get('live')
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('version')
  version(): { version: string } {
    return { version: ROOST_VERSION };
  }

  @Get('v1/models')
  models(): object {
    const data = [...knownModels(this.fleets)].map((id) => ({
      id,
      object: 'model',
      created: this.started,
      owned_by: 'roost',
    }));
    return { object: 'list', data };
  }

  /** Every instance, what its ranks hold right now, and the load that this edge has placed on it. */
  @Get('cluster_info')
  async clusterInfo(): Promise<object> {
    const { context, generation } = this.fleets;
    return {
      is_ready: this.fleets.ready,
      conversation_affinity_header_for_subagents: this.status.parentHeader,
      subagent_affinity_scope: this.status.scope,
      requests: { in_flight: this.admission.inFlight, queued: this.admission.queued },
      context_servers: context === null ? [] : await describe(context),
      generation_servers: await describe(generation),
    };
  }

  @Get('openapi.json')
  openApi(): object {
    return openApiDocument;
  }
}

async function describe({ fleet, router }: RoutedFleet): Promise<object[]> {
  const loads = router.loads();
  return Promise.all(fleet.instances.map((instance) => describeInstance(instance, loads.get(instance.server) ?? 0)));
}

async function describeInstance(instance: Instance, load: number): Promise<object> {
  const info = instance.serving ? await instance.refreshInfo(1_000).catch(() => instance.info) : instance.info;
  const { server, serving } = instance;
  return { server, serving, load, ...(info === null ? {} : describeWorker(info)) };
}

function describeWorker(info: GetInfoResponse): object {
  return {
    model: info.model,
    role: info.role,
    engine: info.engine,
    version: info.version,
    incarnation: info.incarnation,
    num_ranks: info.numRanks,
    queue_depth: info.queueDepth,
    ranks: info.ranks.map((rank) => ({
      rank: rank.rank,
      num_active_requests: rank.numActiveRequests,
      num_active_tokens: rank.numActiveTokens,
      kv_blocks_total: rank.kvBlocksTotal,
      kv_blocks_pinned: rank.kvBlocksPinned,
      kv_blocks_cached: rank.kvBlocksCached,
      num_held_handoffs: rank.numHeldHandoffs,
    })),
  };
}
