/** A load generator: takes a load from its parent process, puts it, and tells what it saw. */
import process from 'node:process';

import { DirectClient, openConnections } from './grpc-client.js';
import { HttpClient } from './http-client.js';
import type { LoadFigures, LoadSpec } from './load-spec.js';
import { closedLoop } from './tally.js';

/** Connections that are made at a time. */
const BATCH = 100;

async function putOnHttp(spec: LoadSpec, port: number): Promise<LoadFigures> {
  const clients = Array.from({ length: spec.clients }, (_, at) => new HttpClient(port, spec, at));
  // A server closes connections that stay silent; clients that begin later connect later.
  const early = spec.rampSeconds === undefined ? clients.length : 0;
  for (let at = 0; at < early; at += BATCH) {
    await Promise.all(clients.slice(at, at + BATCH).map((client) => client.connect()));
  }
  return closedLoop(clients, spec.seconds, spec.rampSeconds);
}

async function putOnWorkers(spec: LoadSpec, context: number | null, generation: number): Promise<LoadFigures> {
  const connections = openConnections(context, generation);
  const clients = Array.from({ length: spec.clients }, (_, at) => new DirectClient(connections, spec, at));
  const figures = await closedLoop(clients, spec.seconds, spec.rampSeconds);
  connections.context?.close();
  connections.generation.close();
  return figures;
}

function put(spec: LoadSpec): Promise<LoadFigures> {
  const { target } = spec;
  return target.kind === 'http' ? putOnHttp(spec, target.port) : putOnWorkers(spec, target.context, target.generation);
}

process.on('message', (spec) => {
  void put(spec as LoadSpec).then(
    (figures) => process.send?.({ figures }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
