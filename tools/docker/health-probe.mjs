// Exits 0 when the server in this container answers that it serves, else 1.
//
// usage: node health-probe.mjs http://HOST:PORT/PATH   any 2xx answer
//        node health-probe.mjs HOST:PORT               grpc.health.v1 answers SERVING
/* global AbortSignal, fetch */
import { Buffer } from 'node:buffer';
import process from 'node:process';

const TIMEOUT_MS = 2_500;

/** HealthCheckResponse on the wire: field 1 (status), a varint, SERVING = 1. */
const SERVING = Buffer.from([0x08, 0x01]);

const probeHttp = async (url) => {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
};

const probeGrpc = async (address) => {
  const { Client, credentials } = await import('@grpc/grpc-js');
  const client = new Client(address, credentials.createInsecure());
  const answer = await new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      (request) => request,
      (response) => response,
      Buffer.alloc(0),
      { deadline: Date.now() + TIMEOUT_MS },
      (error, response) => (error ? reject(error) : resolve(response)),
    );
  });
  client.close();
  if (!SERVING.equals(answer)) throw new Error(`${address} is not serving`);
};

const target = process.argv[2] ?? '';
try {
  await (target.startsWith('http:') ? probeHttp(target) : probeGrpc(target));
} catch (error) {
  console.error(error.cause?.message ?? error.message);
  process.exitCode = 1;
}
