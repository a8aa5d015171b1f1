// What verify.sh asks of the running cluster. Exits 0 when it is so, else says why and exits 1.
//
//   await-health URL STATUS                  GET /health comes to answer STATUS
//   await-serving URL CONTEXT GENERATION     /cluster_info comes to count so many serving instances
//   refuses URL                              a chat request gets 503 and Retry-After
//   placement                                `roost demo --json` on standard input: every sub-agent that names its parent
//                                            ran on the parent's context instance and rank, on tokens cached there
import { request as httpRequest } from 'node:http';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const DEADLINE_MS = 60_000;
const POLL_MS = 200;
const ANSWER_MS = 5_000;

/** Asks until the answer is the expected one; fails after the deadline with the last answer. */
const awaitAnswer = async (expected, ask) => {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const answer = await ask().catch((error) => error.message);
    if (answer === expected) return;
    if (Date.now() > deadline) throw new Error(`expected ${expected}, last answer: ${answer}`);
    await delay(POLL_MS);
  }
};

/** One HTTP request. Not fetch, whose promise stays open for ever when a server closes the connection at once. */
const request = (url, { body = '', ...options } = {}) =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(url, { ...options, agent: false, timeout: ANSWER_MS }, async (response) => {
      let text = '';
      try {
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ status: response.statusCode, headers: response.headers, text });
      } catch (error) {
        reject(error);
      }
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${ANSWER_MS} ms`)));
    sent.on('error', reject);
    sent.end(body);
  });

const awaitHealth = (url, status) => awaitAnswer(status, async () => String((await request(`${url}/health`)).status));

const awaitServing = (url, context, generation) =>
  awaitAnswer(`context ${context}, generation ${generation}`, async () => {
    const info = JSON.parse((await request(`${url}/cluster_info`)).text);
    const serving = (instances) => instances.filter((instance) => instance.serving).length;
    return `context ${serving(info.context_servers)}, generation ${serving(info.generation_servers)}`;
  });

const refuses = async (url) => {
  const { status, headers, text } = await request(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'roost-simulated', messages: [{ role: 'user', content: 'Are you there?' }] }),
  });
  const retryAfter = headers['retry-after'];
  if (status !== 503 || retryAfter === undefined)
    throw new Error(`answered ${status}, Retry-After: ${retryAfter}: ${text}`);
};

const placement = async () => {
  const results = [];
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  for (const line of text.trim().split('\n')) {
    const result = JSON.parse(line);
    if (result.run === 'with_parent_header') results.push(result);
  }
  const parent = results.find((result) => result.parent_session_id === null);
  const children = results.filter((result) => result.parent_session_id !== null);
  if (parent === undefined || children.length !== 2)
    throw new Error(`expected a parent and two sub-agents, got:\n${text}`);
  for (const child of children) {
    const atHome =
      parent.context_instance !== null &&
      parent.context_rank !== null &&
      child.context_instance === parent.context_instance &&
      child.context_rank === parent.context_rank;
    if (!atHome || !(child.cached_tokens > 0))
      throw new Error(`${child.name} is not where its parent is, or found nothing cached there:\n${text}`);
  }
};

const commands = {
  'await-health': awaitHealth,
  'await-serving': awaitServing,
  refuses,
  placement,
};

const [name, ...args] = process.argv.slice(2);
try {
  if (!Object.hasOwn(commands, name)) throw new Error(`no such command: ${name}`);
  await commands[name](...args);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
