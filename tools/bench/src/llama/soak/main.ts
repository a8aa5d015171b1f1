/**
 * Memory of a process with a context and a generation engine of the tiny model, after 1,000 and after 4,000 requests that were
 * handed over. Run by `npm run bench:llama` in a process of its own, with V8's young generation kept small: as large as it
 * likes to be, it grows for thousands of requests. Exits 1 when memory has grown, or a file is left.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

import { LlamaCppEngine, tinyModel } from '@roost/engine-llama-cpp';

const TEXT = 'Work by the rules of this workspace, and say what you do.';
const MEGABYTE = 2 ** 20;
/** By then V8, the allocator and the caches have taken what they take. */
const WARM_REQUESTS = 1_000;
const ALL_REQUESTS = 4_000;
/** A third of what the states of 3,000 requests would take: one of the tiny model is 30 KB. */
const MOST_GROWTH = 30 * MEGABYTE;
const SAMPLING = { temperature: 0, ignoreEos: true };

const folder = mkdtempSync(path.join(tmpdir(), 'roost-soak-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const stateDirectory = mkdtempSync(path.join(folder, 'states-'));
const modelPath = path.join(folder, 'tiny.gguf');
writeFileSync(modelPath, tinyModel());

async function openEngine(): Promise<LlamaCppEngine> {
  const engine = await LlamaCppEngine.open({
    model: 'tiny',
    modelPath,
    numRanks: 1,
    sequences: 4,
    maxBatchSize: 4,
    batchTokens: 48,
    contextSize: 256,
    defaultMaxTokens: 32,
    tokensPerBlock: 16,
    reuse: true,
    threads: 1,
    gpuLayers: 0,
    flashAttention: false,
    stateDirectory,
    runtimePath: null,
  });
  await engine.start();
  return engine;
}

/** One request: its prompt on the one engine, its cache handed over, its answer on the other. */
async function request(context: LlamaCppEngine, generation: LlamaCppEngine, index: number): Promise<void> {
  const text = `${String(index % 7)} ${TEXT} ${String(index)}`;
  const prompt = await context.tokenize({ endpoint: 'completions', body: { prompt: text } });
  const { signal } = new AbortController();
  const job = { rank: 0, conversationId: String(index % 13), prompt, signal, sampling: SAMPLING };
  const { handle, firstToken } = await context.prefill({ ...job, maxTokens: 1 });
  const room = await generation.prepareImport({ ...job, maxTokens: 4 });
  const { description, chunks } = context.exportKv(handle, room.cachedTokens);
  const imported = await room.accept(description, chunks);
  context.release(handle);
  const generated = firstToken === null ? [] : [firstToken];
  const answer = generation.decode({ handle: imported, generated, maxTokens: 4, sampling: SAMPLING, signal });
  for await (const tokens of answer) if (tokens.length === 0) throw new Error('a piece without tokens');
  generation.release(imported);
}

/** Memory of this process that is no file's (Linux). */
function bytesInUse(): number {
  globalThis.gc?.();
  return 1024 * Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}

const [context, generation] = [await openEngine(), await openEngine()];
let warm = 0;
for (let index = 1; index <= ALL_REQUESTS; index += 1) {
  await request(context, generation, index);
  if (index === WARM_REQUESTS) warm = bytesInUse();
}
const atEnd = bytesInUse();
const filesLeft = readdirSync(stateDirectory, { recursive: true }).filter((name) => name.toString().endsWith('.state'));
await context.stop();
await generation.stop();
const inMegabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);
console.log(
  `Memory of two engines with the tiny model: ${inMegabytes(warm)} MB after ${WARM_REQUESTS.toLocaleString('en')} requests, ${inMegabytes(atEnd)} MB after ${ALL_REQUESTS.toLocaleString('en')} (at most ${inMegabytes(MOST_GROWTH)} MB more is let pass); ${String(filesLeft.length)} files left`,
);
process.exit(Number(!(atEnd - warm <= MOST_GROWTH) || filesLeft.length > 0));
