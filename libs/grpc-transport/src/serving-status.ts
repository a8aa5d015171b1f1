import type { Server } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';

/** What a worker answers to grpc.health.v1, for itself (service name empty). Starts as NOT_SERVING. */
export class ServingStatus {
  private readonly implementation = new HealthImplementation({ '': 'NOT_SERVING' });
  private current = false;

  get serving(): boolean {
    return this.current;
  }

  set(serving: boolean): void {
    this.current = serving;
    this.implementation.setStatus('', serving ? 'SERVING' : 'NOT_SERVING');
  }

  attachTo(server: Server): void {
    this.implementation.addToServer(server);
  }
}
