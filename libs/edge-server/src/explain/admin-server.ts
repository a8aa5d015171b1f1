import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { ClusterConfig } from '@roost/config';
import { jsonAnswer, type SideAnswer, SideServer } from '@roost/observability';

import { CLUSTER_CONFIG } from '../config-token.js';

import type { Explanation } from './explain-request.js';
import { RecentRequests } from './recent-requests.js';

/** Told of in a list. */
const LISTED = 50;

/**
 * Answers operators on this machine: `GET /requests` lists the requests that ended last, `GET /requests/ID` explains one.
 * Listens on the loopback only, and on `edge.admin_port` only where that is set.
 */
@Injectable()
export class AdminServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Edge');
  private server: SideServer | null = null;

  constructor(
    @Inject(CLUSTER_CONFIG) private readonly config: ClusterConfig,
    private readonly recent: RecentRequests,
  ) {}

  /** @throws Error of the system when it cannot listen there */
  async onApplicationBootstrap(): Promise<void> {
    const { admin_port: port } = this.config.edge;
    if (port === null) return;
    this.server = await SideServer.start({ host: '127.0.0.1', port, localOnly: true }, (path) => this.answer(path));
    this.logger.log({ url: `http://127.0.0.1:${String(this.server.port)}`, msg: 'the edge answers its operators' });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }

  private answer(path: string): SideAnswer | null {
    if (path === '/requests') return jsonAnswer({ requests: this.recent.latest(LISTED).map(listed) });
    const id = /^\/requests\/([^/]+)$/.exec(path)?.[1];
    if (id === undefined) return null;
    const found = this.recent.find(id);
    const missing = `this request is not among the last ${String(this.recent.capacity)} that ended here`;
    return found === null ? jsonAnswer({ error: missing }, 404) : jsonAnswer(found);
  }
}

function listed({ request_id, arrived, endpoint, outcome, context, generation, total_ms }: Explanation): object {
  return {
    request_id,
    arrived,
    endpoint,
    outcome,
    context_instance: context?.instance ?? null,
    generation_instance: generation?.instance ?? null,
    total_ms,
  };
}
