// Exits 0 when the server in this container answers that it serves, else 1.
//
// usage: node health-probe.mjs http://HOST:PORT/PATH   any 2xx answer
//        node health-probe.mjs HOST:PORT               grpc.health.v1 answers SERVING
import { Buffer } from 'node:buffer';
import { get } from 'node:http';
import process from 'node:process';

const TIMEOUT_MS = 2_500;

/** HealthCheckResponse on the wire: field 1 (status), a varint, SERVING = 1. */
const SERVING = Buffer.from([0x08, 0x01]);

const probeHttp = (url) =>
  new Promise((resolve, reject) => {
    const sent = get(url, { timeout: TIMEOUT_MS }, ({ statusCode }) => {
      sent.destroy();
      if (statusCode >= 200 && statusCode < 300) resolve();
      else reject(new Error(`${url} answers ${statusCode}`));
    });
    sent.on('timeout', () => sent.destroy(new Error(`${url} does not answer`)));
    sent.on('error', reject);
  });

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
  console.error(error.message);
  process.exitCode = 1;
}
