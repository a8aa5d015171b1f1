import type { Server, UntypedServiceImplementation } from '@grpc/grpc-js';
import { Injectable, Logger } from '@nestjs/common';
import { GUARDS_METADATA } from '@nestjs/common/internal';
import { DiscoveryService, ExternalContextCreator } from '@nestjs/core';

import { grpcServiceOf } from './grpc-service.js';
import { widenReceiveWindows } from './receive-windows.js';
import { type GuardedHandler, serveStream, serveUnary } from './serve-call.js';

/** Finds the providers that declare a {@link GrpcService} and puts them, behind their guards, on a gRPC server. */
@Injectable()
export class GrpcServices {
  private readonly logger = new Logger(GrpcServices.name);
  private server: Server | null = null;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly contexts: ExternalContextCreator,
  ) {}

  /**
   * Registers every service found. Call once, before the server starts.
   *
   * @throws Error when a provider lacks one of its service's methods, or when Nest would not run one of its guards
   */
  attachTo(server: Server): void {
    this.server = server;
    widenReceiveWindows();
    for (const { instance, metatype, host } of this.discovery.getProviders()) {
      const definition = typeof metatype === 'function' ? grpcServiceOf(metatype) : undefined;
      if (definition === undefined) continue;
      const provider = instance as Record<string, unknown>;
      requireGuards(metatype as object, host?.injectables ?? new Map());
      const handlers: UntypedServiceImplementation = {};
      for (const [name, method] of Object.entries(definition)) {
        const serve = method.responseStream ? serveStream : serveUnary;
        handlers[name] = serve(method.path, this.guarded(provider, name), (path, error) => {
          this.logger.error({ err: error, method: path }, 'a call failed unexpectedly');
        }) as UntypedServiceImplementation[string];
      }
      server.addService(definition, handlers);
    }
  }

  /**
   * Takes no more calls, and lets the ends of those that have been answered reach their callers, which closing the server
   * at once would cut off. Resolves when no call is left, after `withinMs` at the latest.
   */
  async flush(withinMs: number): Promise<void> {
    const timeUp = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => timeUp.resolve(undefined), withinMs);
    const flushed = new Promise<void>((resolve) => {
      if (this.server === null) resolve();
      else this.server.tryShutdown(() => resolve());
    });
    await Promise.race([flushed, timeUp.promise]);
    clearTimeout(timer);
  }

  private guarded(provider: Record<string, unknown>, name: string): GuardedHandler {
    const handler = provider[name];
    if (typeof handler !== 'function') throw new Error(`${provider.constructor.name} lacks the method ${name}`);
    const options = { guards: true, interceptors: true, filters: false };
    return this.contexts.create(
      provider,
      handler as (...args: unknown[]) => unknown,
      name,
      undefined,
      undefined,
      undefined,
      undefined,
      options,
      'rpc',
    ) as GuardedHandler;
  }
}

/** A guard that Nest cannot find in the provider's module is skipped without a word, and everybody let in. */
function requireGuards(provider: object, known: ReadonlyMap<unknown, unknown>): void {
  const { prototype, name } = provider as { prototype: Record<string, unknown>; name: string };
  const targets = [provider, ...Object.getOwnPropertyNames(prototype).map((method) => prototype[method])];
  for (const target of targets) {
    if (typeof target !== 'function') continue;
    const guards = (Reflect.getMetadata(GUARDS_METADATA, target) ?? []) as unknown[];
    const lost = guards.find((guard) => typeof guard === 'function' && !known.has(guard));
    if (lost !== undefined)
      throw new Error(`a guard of ${name} would not run: declare ${name} as a provider of its module`);
  }
}
