import type { ServerOptions } from 'node:http2';

import { Server, ServerCredentials } from '@grpc/grpc-js';
import { type GrpcOptions, ServerGrpc } from '@nestjs/microservices';

/** More than any number of callers can cancel. */
const UNLIMITED = 1_000_000;

/**
 * Nest's gRPC server, as the `strategy` of a microservice, that lets a caller cancel as many calls as it likes. Node ends an
 * HTTP/2 connection, and every call on it, whose peer has reset more than 1000 streams and 33 a second; an edge resets one
 * for every client that goes away, and its other clients have done nothing wrong.
 */
export class GrpcServer extends ServerGrpc {
  constructor(private readonly grpcOptions: GrpcOptions['options']) {
    super(grpcOptions);
  }

  /** @throws Error when the port cannot be had, or grpc-js keeps its HTTP/2 options, for which it has no setting, elsewhere */
  override async createClient(): Promise<Server> {
    const server = new Server(this.grpcOptions.channelOptions);
    allowCancellations(server);
    await new Promise((resolve, reject) => {
      server.bindAsync(this.url, ServerCredentials.createInsecure(), (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
    return server;
  }
}

function allowCancellations(server: Server): void {
  const { commonServerOptions } = server as unknown as { readonly commonServerOptions?: ServerOptions };
  if (commonServerOptions === undefined) throw new Error('this version of grpc-js keeps its HTTP/2 options elsewhere');
  Object.assign(commonServerOptions, { streamResetBurst: UNLIMITED, streamResetRate: UNLIMITED });
}
