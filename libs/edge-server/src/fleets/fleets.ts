import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { ClusterConfig, ServerSection } from '@roost/config';
import { Fleet, type Instance } from '@roost/fleet';
import { RouterRegistry } from '@roost/fleet-router';

import { CLUSTER_CONFIG } from '../config-token.js';

import { RoutedFleet } from './routed-fleet.js';

/** The fleets behind this edge. Without context workers, generation workers serve requests whole. */
@Injectable()
export class Fleets implements OnApplicationBootstrap {
  private readonly logger = new Logger(Fleets.name);
  private routedContext: RoutedFleet | null = null;
  private routedGeneration: RoutedFleet | null = null;

  constructor(
    @Inject(CLUSTER_CONFIG) private readonly config: ClusterConfig,
    private readonly routers: RouterRegistry,
  ) {}

  /**
   * Makes the routers - after every module has had its chance to register a type - and takes a first look at the instances.
   *
   * @throws Error that names the fleet whose router cannot be made
   */
  async onApplicationBootstrap(): Promise<void> {
    const { context_servers, generation_servers, subagent_affinity_scope: scope } = this.config;
    const affinity = Boolean(this.config.conversation_affinity_header_for_subagents);
    if (context_servers !== null && context_servers.num_instances > 0) {
      this.routedContext = this.make('context', context_servers, affinity);
    }
    if (generation_servers === null) throw new Error('generation_servers is missing');
    this.routedGeneration = this.make('generation', generation_servers, affinity && scope === 'both');
    await Promise.all(this.all.map(({ fleet }) => fleet.start()));
  }

  /** Closes the channels to the workers; nothing can be served any more. */
  close(): void {
    for (const { fleet } of this.all) fleet.stop();
  }

  get context(): RoutedFleet | null {
    return this.routedContext;
  }

  get generation(): RoutedFleet {
    if (this.routedGeneration === null) throw new Error('the fleets are made when the application starts');
    return this.routedGeneration;
  }

  /** Each fleet that is there. */
  get all(): readonly RoutedFleet[] {
    return this.routedContext === null ? [this.generation] : [this.routedContext, this.generation];
  }

  /** Whether every fleet that a request needs has an instance that serves. */
  get ready(): boolean {
    return this.all.every(({ fleet }) => fleet.hasServing);
  }

  private make(role: 'context' | 'generation', section: ServerSection, affinity: boolean): RoutedFleet {
    const { type, ...args } = section.router;
    const created = this.routers.create(type, args, {
      servers: section.urls,
      nodeId: this.config.node_id,
      now: () => performance.now(),
    });
    if (created.ignoredArgs.length > 0) {
      this.logger.warn(`${role}_servers.router: ${type} has no use for ${created.ignoredArgs.join(', ')}`);
    }
    const { health_poll_interval_ms: pollIntervalMs, worker_connect_timeout_ms: probeTimeoutMs } = this.config.edge;
    const onChange = (instance: Instance): void => {
      const { server, serving } = instance;
      if (serving) this.logger.log({ instance: server, role, msg: 'an instance serves' });
      else this.logger.warn({ instance: server, role, msg: 'an instance does not serve: it gets no new work' });
    };
    const fleet = new Fleet(role, section.urls, { pollIntervalMs, probeTimeoutMs, onChange });
    return new RoutedFleet(fleet, created.router, affinity);
  }
}
