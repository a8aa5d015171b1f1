import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { GrpcServices, ServingStatus } from '@roost/grpc-transport';

import { WORKER_PARTS, type WorkerParts } from '../worker-parts.js';

/** The Nest token of how long a worker may take to go down, in milliseconds. */
export const SHUTDOWN_TIMEOUT_MS = Symbol('SHUTDOWN_TIMEOUT_MS');

/** How long the last messages of answered calls may take to get out. */
const FLUSH_MS = 1_000;

/**
 * Brings the engine up before the first request, and takes the worker down in order: say NOT_SERVING, let running legs
 * finish and held caches be fetched, then end what is left.
 */
@Injectable()
export class WorkerLifecycle implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(WorkerLifecycle.name);

  constructor(
    @Inject(WORKER_PARTS) private readonly parts: WorkerParts,
    @Inject(SHUTDOWN_TIMEOUT_MS) private readonly timeoutMs: number,
    private readonly status: ServingStatus,
    private readonly services: GrpcServices,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.parts.engine.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { inFlight, held, queue, puller, engine, tracer } = this.parts;
    this.status.set(false);
    const timeUp = new AbortController();
    const timer = setTimeout(() => timeUp.abort(), this.timeoutMs);
    try {
      await Promise.race([this.drained(), aborted(timeUp.signal)]);
    } finally {
      clearTimeout(timer);
    }
    if (inFlight.count > 0) {
      this.logger.warn({ legs: inFlight.count }, 'the shutdown timeout is over: ending the legs that still run');
    }
    inFlight.abort();
    queue.close();
    held.clear();
    puller.close();
    await engine.stop();
    await this.services.flush(FLUSH_MS);
    await tracer.close();
  }

  private async drained(): Promise<void> {
    await this.parts.inFlight.drain();
    await this.parts.held.empty();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
