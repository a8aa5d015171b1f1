import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { ClusterConfig } from '@roost/config';
import { LoggingModule, PinoLogger } from '@roost/observability';
import type { PromptPoolOptions } from '@roost/prompt-pool';
import { RequestIdIssuer } from '@roost/protocol';

import { CLUSTER_CONFIG } from './config-token.js';
import type { EdgeExtension } from './edge-extension.js';
import { Fleets } from './fleets/fleets.js';
import { RouterTypesModule } from './fleets/router-types.module.js';
import { WorkerTokens } from './fleets/worker-tokens.js';
import { CompletionsController } from './http/completions.controller.js';
import { EDGE_STATUS, type EdgeStatus } from './http/edge-status.js';
import { ErrorFilter } from './http/error.filter.js';
import { StatusController } from './http/status.controller.js';
import { LegSigner } from './legs/leg-signer.js';
import { EdgeLifecycle } from './lifecycle.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { observationProviders } from './observation-providers.js';
import { Admission } from './request/admission.js';
import { PromptTokenizer } from './request/prompt-tokenizer.js';
import { REQUEST_OPTIONS, type RequestOptions } from './request/request-options.js';
import { ServeRequest } from './request/serve-request.js';

/** Attempts at a leg whose instance was lost, besides the first, at least (reference 4.4). */
const RETRIES_ON_LOSS = 5;

/** The edge: public HTTP in front, the fleets behind. */
@Module({})
export class EdgeServerModule {
  static with(config: ClusterConfig, extensions: readonly EdgeExtension[]): DynamicModule {
    const { max_concurrent_requests, max_queued_requests } = config.edge;
    return {
      module: EdgeServerModule,
      imports: [RouterTypesModule, LoggingModule.with({ name: 'edge', level: config.logging.level }), ...extensions],
      controllers: [CompletionsController, StatusController, MetricsController],
      providers: [
        Fleets,
        ServeRequest,
        EdgeLifecycle,
        { provide: CLUSTER_CONFIG, useValue: config },
        { provide: EDGE_STATUS, useValue: statusOf(config) },
        { provide: REQUEST_OPTIONS, useValue: requestOptionsOf(config) },
        { provide: Admission, useFactory: () => new Admission(max_concurrent_requests, max_queued_requests) },
        {
          provide: PromptTokenizer,
          inject: [Fleets, PinoLogger],
          useFactory: (fleets: Fleets, logger: PinoLogger) =>
            new PromptTokenizer(fleets, workerTokensOf(config, fleets, logger), poolOptionsOf(config)),
        },
        ...observationProviders(config),
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}

function parentHeaderOf({ conversation_affinity_header_for_subagents: name }: ClusterConfig): string | null {
  return name === null || name.trim() === '' ? null : name.trim();
}

function statusOf(config: ClusterConfig): EdgeStatus {
  return { parentHeader: parentHeaderOf(config), scope: config.subagent_affinity_scope, draining: false };
}

function poolOptionsOf({ edge }: ClusterConfig): PromptPoolOptions {
  return { threads: edge.tokenizer_threads, maxQueued: edge.max_queued_prompts };
}

function workerTokensOf({ edge }: ClusterConfig, fleets: Fleets, logger: PinoLogger): WorkerTokens {
  return new WorkerTokens(() => fleets.tokenizers, {
    timeoutMs: edge.worker_tokenize_timeout_ms,
    maxAsking: edge.max_queued_prompts,
    warn: (fields, message) => logger.warn(fields, message),
  });
}

function requestOptionsOf(config: ClusterConfig): RequestOptions {
  const [signingKey] = config.internal_request_auth_keys;
  return {
    receive: {
      parentHeader: parentHeaderOf(config),
      allowChatTemplate: config.allow_request_chat_template,
      timeoutMs: config.edge.request_timeout_s * 1_000,
    },
    legs: {
      signer: new LegSigner(signingKey?.reveal() ?? null),
      ids: new RequestIdIssuer(config.node_id, 0),
      budget: { onError: config.max_retries, onLoss: RETRIES_ON_LOSS },
      scheduleStyle: config.schedule_style === 'generation_first' ? 'generation_first' : 'context_first',
      maxLocalPrefillLength: config.conditional_disagg_config?.max_local_prefill_length ?? null,
    },
    explainHeaders: config.edge.explain_headers,
  };
}
