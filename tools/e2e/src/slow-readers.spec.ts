import { readFileSync } from 'node:fs';
import http from 'node:http';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@roost/testing';

import { Cluster } from './harness/cluster.js';
import { chat, bodyFor, eventsOf } from './harness/http-client.js';
import { promptOn } from './harness/private-text.js';

// Owns: a client that does not read is waited for all the way back to the generation worker, where what it has not read
// is text and no longer events; it gets its stream whole when it reads on (field reports 9.g, 9.h). One
// that never does loses its connection.

/** As single events more than the sockets between edge and client take (some 10 MB). */
const LONG = { max_tokens: 120_000, ignore_eos: true, stream: true };

/** A client that has sent its request and does not read what comes. */
function beginReading(url: string, topic: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/v1/chat/completions`, { method: 'POST', agent: false }, (response) => {
      resolve(response.pause());
    });
    request.on('error', reject);
    request.end(JSON.stringify(bodyFor('chat/completions', promptOn(topic), LONG)));
  });
}

/** Whether a server still has its end of a client's connection open. */
function holdsConnectionOf(url: string, { socket }: http.IncomingMessage): boolean {
  const ports = [Number(new URL(url).port), socket.localPort ?? 0];
  const [own, peer] = ports.map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  const connections = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  return connections
    .map((line) => line.trim().split(/ +/))
    .some(([, local, remote, state]) => local?.endsWith(own ?? '') && remote?.endsWith(peer ?? '') && state === '01');
}

describe('a client that does not read', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start({ worker: { engine: { simulated: { speed_up: 1e6 } } } });
  }, 60_000);

  afterAll(() => cluster.settleAndStop(), 30_000);

  it('is waited for, and gets its stream whole', async () => {
    const { text, raw: quick } = await chat(cluster.url, promptOn('slow'), LONG);
    const reader = await beginReading(cluster.url, 'slow');
    await eventually(async () => (await cluster.counters()).active === 0, 30_000);
    let raw = '';
    for await (const part of reader.setEncoding('utf8')) raw += part as string;
    const deltas = eventsOf(raw).map(({ choices }) => choices?.[0]?.delta?.content ?? '');
    expect(deltas.join('')).toBe(text);
    // What waited has come in fewer, larger events.
    expect(raw.length).toBeLessThan(quick.length);
    await cluster.settled();
  }, 60_000);
});

describe('a client that never reads', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start({
      edge: { edge: { request_timeout_s: 4 } },
      worker: { engine: { simulated: { speed_up: 1e6 } } },
    });
  }, 60_000);

  afterAll(() => cluster.stop(), 30_000);

  it('loses its connection some time after the deadline of its request', async () => {
    const reader = await beginReading(cluster.url, 'never');
    await cluster.settled(cluster.url, 10_000);
    expect(holdsConnectionOf(cluster.url, reader)).toBe(true);
    await eventually(() => !holdsConnectionOf(cluster.url, reader), 40_000);
    reader.destroy();
  }, 60_000);
});
