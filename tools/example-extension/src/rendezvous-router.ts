import { createHash } from 'node:crypto';

import type { FleetRouter, Placement, RouteRequest } from '@roost/fleet-router';

/**
 * Highest-random-weight hashing: every edge that knows the same servers sends a routing key to the same one, without
 * remembering anything. A request without a key goes to the first candidate of an empty key.
 */
export class RendezvousRouter implements FleetRouter {
  readonly type = 'rendezvous';
  private readonly names: Set<string>;

  constructor(servers: Iterable<string> = []) {
    this.names = new Set(servers);
  }

  route(request: RouteRequest, exclude: ReadonlySet<string> = new Set()): Placement | null {
    const routingKey = request.subagentAffinityId ?? request.conversationId;
    let best: string | null = null;
    let highest = '';
    for (const server of this.names) {
      if (exclude.has(server)) continue;
      const weight = weightOf(server, routingKey ?? '');
      if (weight > highest) [best, highest] = [server, weight];
    }
    if (best === null) return null;
    return { server: best, decision: 'sticky', reason: 'highest weight', routingKey };
  }

  /** Keeps no load: there is nothing to give back. */
  finish(): void {
    return;
  }

  addServer(server: string): void {
    this.names.add(server);
  }

  removeServer(server: string): void {
    this.names.delete(server);
  }

  servers(): readonly string[] {
    return [...this.names];
  }

  loads(): ReadonlyMap<string, number> {
    return new Map();
  }
}

function weightOf(server: string, key: string): string {
  return createHash('sha1').update(`${server}\0${key}`).digest('hex');
}
