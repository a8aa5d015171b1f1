import type { IncomingHttpHeaders } from 'node:http';

import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PinoLogger, type Tracer, TRACER } from '@roost/observability';

import { explainRequest } from '../explain/explain-request.js';
import { RecentRequests } from '../explain/recent-requests.js';
import { AffinityWatch } from '../metrics/affinity-watch.js';
import { RequestRecorder } from '../metrics/request-recorder.js';
import { TraceLog } from '../trace-log/trace-log.js';

import { logLineOf } from './log-line.js';
import type { ServedRequest } from './served-request.js';

/** Sees every request that could be read begin and end: traces it, and at its end logs, measures and remembers it. */
@Injectable()
export class RequestObserver implements OnApplicationShutdown {
  constructor(
    @Inject(TRACER) private readonly tracer: Tracer,
    private readonly watch: AffinityWatch,
    private readonly recorder: RequestRecorder,
    private readonly recent: RecentRequests,
    private readonly traceLog: TraceLog,
    private readonly logger: PinoLogger,
  ) {}

  /** @param arrived on the clock of `performance.now()` */
  begin(request: ServedRequest, headers: IncomingHttpHeaders, arrived: number): void {
    const { id, client, identity } = request;
    this.watch.note(identity);
    if (!this.tracer.enabled) return;
    const carried = (field: string): string | undefined => headers[field]?.toString();
    const attributes = {
      'roost.request_id': id,
      'roost.endpoint': client.endpoint,
      'roost.conversation_id': identity.conversationId,
      'roost.subagent_affinity_id': identity.subagentAffinityId,
    };
    request.span = this.tracer.begin('edge request', carried, { attributes, at: arrived });
  }

  /**
   * Takes note of a request that has been settled.
   *
   * @param answered whether anything of an answer was sent; whoever sends a refusal counts it
   */
  end(request: ServedRequest, arrived: number, answered: boolean): void {
    const { client, record, span } = request;
    const outcome = record.error?.code ?? 'ok';
    if (answered) this.recorder.ended(client.endpoint, outcome);
    this.recorder.record(request, arrived);
    span.end(outcome);
    if (this.recent.capacity > 0) this.recent.add(explainRequest(request, arrived));
    this.traceLog.note(request, arrived);
    this.logger.info(logLineOf(request, arrived), 'request');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.tracer.close();
  }
}
