import { type DynamicModule, Module } from '@nestjs/common';
import {
  AFFINITY_AUTH_OPTIONS,
  type AffinityAuthOptions,
  AffinityGuard,
  HandoffGuard,
  VerifiedAffinity,
} from '@roost/affinity-auth/guards';
import type { WorkerConfig } from '@roost/config';
import { ENGINE, type Engine } from '@roost/engine';
import { GrpcTransportModule, ServingStatus } from '@roost/grpc-transport';
import { LoggingModule, PinoLogger } from '@roost/observability';

import { HeldHandoffs } from './handoff/held-handoffs.js';
import { KvTransferService } from './handoff/kv-transfer-service.js';
import { InfoController } from './info/info.controller.js';
import { KvEventService } from './kv-events/kv-event-service.js';
import { LegService } from './legs/leg-service.js';
import { TokenizeService } from './legs/tokenize-service.js';
import { RefusalLog } from './lifecycle/refusal-log.js';
import { SHUTDOWN_TIMEOUT_MS, WorkerLifecycle } from './lifecycle/worker-lifecycle.js';
import { makeWorkerParts } from './make-worker-parts.js';
import { METRICS_PLACE, MetricsListener, metricsPlaceOf } from './metrics/metrics-listener.js';
import { WORKER_PARTS, type WorkerParts } from './worker-parts.js';

/** A worker around an engine: scheduling loop, both legs, KV handoff, behind the affinity guards. */
@Module({})
export class WorkerModule {
  /**
   * @param name the app's name in logs
   * @param engineModule a Nest module that provides and exports `ENGINE`
   */
  static with(name: string, config: WorkerConfig, engineModule: DynamicModule): DynamicModule {
    return {
      module: WorkerModule,
      imports: [engineModule, GrpcTransportModule, LoggingModule.with({ name, level: config.logging.level })],
      controllers: [InfoController],
      providers: [
        LegService,
        TokenizeService,
        KvTransferService,
        KvEventService,
        ServingStatus,
        WorkerLifecycle,
        AffinityGuard,
        HandoffGuard,
        VerifiedAffinity,
        MetricsListener,
        { provide: METRICS_PLACE, useValue: metricsPlaceOf(config) },
        { provide: SHUTDOWN_TIMEOUT_MS, useValue: config.worker.shutdown_timeout_s * 1_000 },
        {
          provide: WORKER_PARTS,
          inject: [ENGINE],
          useFactory: (engine: Engine): Promise<WorkerParts> => makeWorkerParts(engine, config),
        },
        { provide: HeldHandoffs, inject: [WORKER_PARTS], useFactory: (parts: WorkerParts) => parts.held },
        {
          provide: AFFINITY_AUTH_OPTIONS,
          inject: [PinoLogger, WORKER_PARTS],
          useFactory: (logger: PinoLogger, { metrics }: WorkerParts): AffinityAuthOptions => {
            const refusals = new RefusalLog((fields, message) => logger.warn(fields, message));
            return {
              keys: config.internal_request_auth_keys.map((key) => key.reveal()),
              role: config.role,
              hasCacheTransceiver: config.cache_transceiver_config !== null,
              warn: (message) => logger.warn(message),
              refused: (refusal) => {
                metrics.add('signaturesRefused', { proof: refusal.proof, reason: refusal.reason });
                refusals.note(refusal);
              },
            };
          },
        },
      ],
    };
  }
}
