import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import { Fleets } from '../fleets/fleets.js';
import { Admission } from '../request/admission.js';
import { PromptTokenizer } from '../request/prompt-tokenizer.js';

import { EDGE_METRICS_SET, type EdgeMetrics } from './edge-metrics.js';
import { readEdge } from './read-edge.js';

/** Shows the edge's metrics. */
@Controller()
export class MetricsController {
  constructor(
    @Inject(EDGE_METRICS_SET) private readonly metrics: EdgeMetrics,
    fleets: Fleets,
    admission: Admission,
    tokenizer: PromptTokenizer,
  ) {
    readEdge(metrics, { fleets, admission, tokenizer });
  }

  /** In Prometheus' text format. */
  @Get('metrics')
  async show(@Res() reply: FastifyReply): Promise<void> {
    const text = await this.metrics.text();
    void reply.type(this.metrics.contentType).send(text);
  }
}
