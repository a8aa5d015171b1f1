import { readFileSync } from 'node:fs';
import http from 'node:http';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@roost/testing';

import { Cluster } from './harness/cluster.js';
import { chat, bodyFor, eventsOf } from './harness/http-client.js';
import { promptOn } from './harness/private-text.js';

// Owns: a client that reads slowly, or not at all, costs the edge no memory to speak of, and gets its stream whole when it
// reads on (field reports 9.g, 9.h).

const READERS = 12;
/** About 9 MB of events, if every token were one. */
const LONG = { max_tokens: 40_000, ignore_eos: true };
const ALLOWED_GROWTH_MB = 50;

/** A client that has sent its request and does not read what comes. */
function beginReading(url: string, topic: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/v1/chat/completions`, { method: 'POST', agent: false }, (response) => {
      resolve(response.pause());
    });
    request.on('error', reject);
    request.end(JSON.stringify(bodyFor('chat/completions', promptOn(topic), { ...LONG, stream: true })));
  });
}

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}

describe('clients that do not read', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start({ worker: { engine: { simulated: { speed_up: 1e6 } } } });
  }, 60_000);

  afterAll(async () => {
    await cluster.settled();
    await cluster.stop();
  }, 30_000);

  it('are waited for, in bounded memory, and their streams are whole', async () => {
    const { pid } = cluster.process('edge');
    const { text } = await chat(cluster.url, promptOn('slow0'), LONG);
    const before = residentMegabytes(pid);
    const readers = await Promise.all(
      Array.from({ length: READERS }, (_, index) => beginReading(cluster.url, `slow${String(index)}`)),
    );
    // All is computed, and has gone as far as it can without being read.
    await eventually(async () => (await cluster.counters()).active === 0, 30_000);
    expect(residentMegabytes(pid) - before).toBeLessThan(ALLOWED_GROWTH_MB);

    const [first, ...others] = readers;
    let raw = '';
    for await (const part of first?.setEncoding('utf8') ?? []) raw += part as string;
    const deltas = eventsOf(raw).map(({ choices }) => choices?.[0]?.delta?.content ?? '');
    expect(deltas.join('')).toBe(text);
    for (const reader of others) reader.destroy();
    await cluster.settled();
  }, 60_000);
});
