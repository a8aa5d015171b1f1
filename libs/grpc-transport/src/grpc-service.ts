import type { ServiceDefinition } from '@grpc/grpc-js';

/** What a handler of a {@link GrpcService} is told of the call besides its message and metadata. */
export interface CallContext {
  /** Aborts when the caller cancels, goes away or passes its deadline. */
  readonly signal: AbortSignal;
}

const SERVICE = Symbol('roost:grpc-service');

/**
 * Declares that a Nest provider serves a gRPC service. Each of the service's methods is a method of the class that takes
 * the message, the metadata and a {@link CallContext}, and returns a promise (unary) or an async iterable (server stream).
 * Guards and interceptors bound with Nest's decorators run before it, as they do before any other Nest handler.
 *
 * Nest's own gRPC layer serves unary control calls well, but it does not tell a unary handler that its caller has gone,
 * and it buffers a stream without bound when the reader is slow; legs and cache transfers need both.
 */
export function GrpcService(definition: ServiceDefinition): ClassDecorator {
  return (target) => Reflect.defineMetadata(SERVICE, definition, target);
}

/** The service that a class declares to serve, if any. */
export function grpcServiceOf(target: object): ServiceDefinition | undefined {
  return Reflect.getMetadata(SERVICE, target) as ServiceDefinition | undefined;
}
