import { Logger as NestLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ClusterConfig } from '@roost/config';
import { AppLogger } from '@roost/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { EdgeExtension } from './edge-extension.js';
import { EdgeServerModule } from './edge-server.module.js';
import { answerClientError } from './http/client-errors.js';
import { httpErrorOf, sendError } from './http/error-answer.js';
import { acceptRawBodies } from './http/raw-bodies.js';

/** How long a client may leave an answer unread, besides the time that the answer may take. */
const UNREAD_ANSWER_MS = 5_000;

/** Builds the edge from its configuration, not yet listening. */
export async function createEdge(
  config: ClusterConfig,
  extensions: readonly EdgeExtension[] = [],
): Promise<NestFastifyApplication> {
  const { edge, server_keep_alive_timeout } = config;
  const adapter = new FastifyAdapter({
    keepAliveTimeout: server_keep_alive_timeout * 1_000,
    requestTimeout: edge.body_timeout_ms,
    // No answer takes longer; who does not read one for so long will not read it.
    connectionTimeout: edge.request_timeout_s * 1_000 + UNREAD_ANSWER_MS,
    http: {
      maxHeaderSize: edge.header_limit_bytes,
      headersTimeout: edge.header_timeout_ms,
      connectionsCheckingInterval: Math.ceil(edge.header_timeout_ms / 2),
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error: unknown, _request: FastifyRequest, reply: FastifyReply) =>
      sendError(reply, httpErrorOf(error)),
    forceCloseConnections: 'idle',
    return503OnClosing: true,
  });
  const app = await NestFactory.create<NestFastifyApplication>(EdgeServerModule.with(config, extensions), adapter, {
    bodyParser: false,
    bufferLogs: true,
    abortOnError: false,
  });
  app.useLogger(app.get(AppLogger, { strict: false }));
  acceptRawBodies(adapter.getInstance(), edge.body_limit_bytes);
  app.enableShutdownHooks([], { useProcessExit: true });
  return app;
}

/** Opens the edge's port; gives the address that clients use. */
export async function serveEdge(app: NestFastifyApplication, config: ClusterConfig): Promise<string> {
  await app.listen(config.port, config.bind_host ?? config.hostname);
  const url = await app.getUrl();
  new NestLogger('Edge').log({ url, msg: 'the edge listens' });
  return url;
}
