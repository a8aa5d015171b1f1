import { Client, credentials } from '@grpc/grpc-js';

const path = '/grpc.health.v1.Health/Check';
const deadlineMilliseconds = 1_000;

// grpc.health.v1 in bytes: the request for the server as a whole has no field, and an answer of SERVING is field 1 = 1.
const wholeServer = Buffer.alloc(0);
const serving = Buffer.from([0x08, 0x01]);

/** Whether the gRPC server at `host:port` says that it is serving, within a second. Never rejects. */
export async function isGrpcServing(address: string): Promise<boolean> {
  const client = new Client(address, credentials.createInsecure());
  try {
    return await new Promise((resolve) => {
      client.makeUnaryRequest(
        path,
        (request: Buffer) => request,
        (answer) => answer,
        wholeServer,
        { deadline: Date.now() + deadlineMilliseconds },
        (error, answer) => resolve(error === null && answer?.equals(serving) === true),
      );
    });
  } finally {
    client.close();
  }
}
