/**
 * What long prompts cost everybody else on the same edge: latency of `/live`, asked every few milliseconds, with nothing
 * going on, and while prompts of about 60,000 tokens arrive at a steady rate, which the edge tokenises to place them by
 * cache. What `/live` takes beyond the quiet run is time for which the edge's event loop was busy, or for which the machine
 * had no core for it. Run with `npm run bench:long-prompts -- --seconds 10 --rate 4`.
 */
import '../machine/needed-node.js';

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

import { Pool } from 'undici';

import { quantile } from '../edge-overhead/load.js';
import { startBench } from '../edge-overhead/processes.js';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, rate: { type: 'string', default: '4' } },
});
const seconds = Number(values.seconds);
const rate = Number(values.rate);
if (!(seconds > 0 && seconds <= 60 && rate > 0 && rate <= 50)) {
  throw new Error('--seconds takes up to 60, --rate up to 50 prompts a second');
}

const WORDS =
  'the agent reads every file of the module and writes down what each function promises to its callers'.split(' ');
const PAUSE_MS = 3;

/** About 60,000 tokens that nobody has sent before. */
function longPrompt(seed: number): string {
  const text = Array.from({ length: 57_000 }, (_, at) => WORDS[(at * 7 + ((at * seed) % 11)) % WORDS.length]).join(' ');
  return JSON.stringify({
    model: 'roost-simulated',
    max_tokens: 1,
    messages: [{ role: 'user', content: `${String(seed)} ${text}` }],
  });
}

async function probe(pool: Pool, end: number): Promise<number[]> {
  const latencies: number[] = [];
  while (performance.now() < end) {
    const asked = performance.now();
    await (await pool.request({ method: 'GET', path: '/live' })).body.dump();
    latencies.push(performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return latencies.sort((a, b) => a - b);
}

/** Sends the prompts at the rate, whether or not the ones before have been answered; gives how many were. */
async function sendLongPrompts(pool: Pool, prompts: readonly string[]): Promise<number> {
  const sending = prompts.map(async (body, at) => {
    await new Promise((resolve) => setTimeout(resolve, (at * 1_000) / rate));
    const headers = { 'content-type': 'application/json' };
    const answer = await pool.request({ method: 'POST', path: '/v1/chat/completions', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(text.slice(0, 300));
  });
  return (await Promise.all(sending)).length;
}

function print(name: string, latencies: readonly number[], prompts: number): void {
  const of = (share: number): string => quantile(latencies, share).toFixed(2);
  console.log(`| ${name} | ${String(prompts)} | ${of(0.5)} | ${of(0.99)} | ${of(1)} |`);
}

const bench = await startBench({ router: 'kv_cache_aware' });
const pool = new Pool(bench.edgeUrl, { connections: 64 });
try {
  console.log(
    `${new Date().toISOString()}, ${String(cpus().length)} cores ${cpus()[0]?.model ?? ''}, Node ${process.version}; ${String(seconds)} s each, ${String(rate)} prompts a second`,
  );
  console.log('| load | prompts | p50 ms | p99 ms | max ms |\n| --- | --- | --- | --- | --- |');
  const prompts = Array.from({ length: Math.ceil(seconds * rate) }, (_, at) => longPrompt(at + 11));
  await sendLongPrompts(pool, [longPrompt(7), longPrompt(8)]);
  const until = (): number => performance.now() + seconds * 1_000;
  print('none', await probe(pool, until()), 0);
  const [latencies, sent] = await Promise.all([probe(pool, until()), sendLongPrompts(pool, prompts)]);
  print('60,000-token prompts', latencies, sent);
} finally {
  await pool.close();
  bench.stop();
}
