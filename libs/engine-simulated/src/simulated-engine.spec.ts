import { describe, expect, it } from '@jest/globals';
import { type Engine, EngineRefusal, type KvHandle, KvMismatch, type RankState } from '@roost/engine';

import type { SimulatedEngineOptions } from './options.js';
import { SimulatedEngine } from './simulated-engine.js';
import { VirtualClock } from './virtual-clock.js';

/** Owns: every promise of the engine port, by an example, on a virtual clock. Random jobs are in `simulated-engine.properties.spec.ts`. */

const OPTIONS: SimulatedEngineOptions = {
  model: 'm',
  numRanks: 2,
  maxBatchSize: 4,
  maxNumTokens: 64,
  maxSeqLen: 1000,
  tokensPerBlock: 8,
  capacityTokens: 800,
  defaultMaxTokens: 100,
  blockReuse: true,
  prefillTokensPerSecond: 1000,
  decodeStepMs: 10,
  kvBandwidthBytesPerSecond: 1_000_000,
  kvBytesPerToken: 1000,
  speedUp: 1,
};
const sampling = { ignoreEos: false };
const live = new AbortController().signal;
const prompt = (length: number, first = 0): Uint32Array => Uint32Array.from({ length }, (_, index) => first + index);

function setUp(options: Partial<SimulatedEngineOptions> = {}): { engine: SimulatedEngine; clock: VirtualClock } {
  const clock = new VirtualClock();
  return { engine: new SimulatedEngine({ ...OPTIONS, ...options }, clock), clock };
}

const job = (length: number, maxTokens = 50, signal = live) => ({
  rank: 0,
  conversationId: null,
  prompt: prompt(length),
  maxTokens,
  signal,
  sampling,
});

async function decodeAll(
  engine: Engine,
  handle: KvHandle,
  generated: readonly number[],
  maxTokens = 50,
  ignoreEos = false,
): Promise<number[]> {
  const tokens = [...generated];
  for await (const more of engine.decode({ handle, generated, maxTokens, sampling: { ignoreEos }, signal: live })) {
    tokens.push(...more);
  }
  return tokens;
}

/** A promise's result once the clock has nothing left to do. */
async function after<Result>(clock: VirtualClock, promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  await clock.run();
  return await promise;
}

const EMPTY: Partial<RankState> = {
  numActiveRequests: 0,
  numActiveTokens: 0,
  kvBlocksPinned: 0,
  numHeldHandoffs: 0,
};

async function hold(engine: SimulatedEngine, clock: VirtualClock, length = 100): Promise<KvHandle> {
  return (await after(clock, engine.prefill(job(length)))).handle;
}

describe('SimulatedEngine', () => {
  it('describes itself', () => {
    expect(setUp().engine.info).toMatchObject({
      engine: 'simulated',
      kvCacheHashAlgo: 'xxh64-chained',
      kvLayout: 'simulated-1/tokens_per_block=8/bytes_per_token=1000',
      maxSeqLen: 1000,
    });
  });

  it('takes the time of the model for a prefill, and less for what is cached', async () => {
    const { engine, clock } = setUp();
    const cold = await after(clock, engine.prefill(job(100)));
    expect([cold.cachedTokens, cold.handle.numTokens, clock.now()]).toEqual([0, 100, 100]);
    const warm = await after(clock, engine.prefill(job(100)));
    expect([warm.cachedTokens, clock.now()]).toEqual([96, 104]);
    expect(warm.firstToken).toBe(cold.firstToken);
  });

  it('decodes a step at a time, and keeps the handle extended by what it decoded', async () => {
    const { engine, clock } = setUp();
    const { handle, firstToken } = await after(clock, engine.prefill(job(100)));
    const tokens = await after(clock, decodeAll(engine, handle, [firstToken ?? -1]));
    expect([tokens.length, clock.now()]).toEqual([50, 100 + 49 * 10]);
    expect(handle.numTokens).toBe(149);
    expect(engine.rankStates()[0]).toMatchObject({ numActiveRequests: 0, numHeldHandoffs: 1, kvBlocksPinned: 19 });
    engine.release(handle);
    engine.release(handle);
    expect(engine.rankStates()[0]).toMatchObject({ ...EMPTY, kvBlocksCached: 18 });
  });

  it('finds a turn and its answer in the cache at the next turn', async () => {
    const { engine, clock } = setUp({ capacityTokens: 8000 });
    const messages = [{ role: 'user', content: 'Where do the quiet agents keep their tokens?' }];
    const turn = await engine.tokenize({ endpoint: 'chat', body: { messages } });
    const { handle, firstToken } = await after(clock, engine.prefill({ ...job(1, 300), prompt: turn }));
    const answer = await after(clock, decodeAll(engine, handle, [firstToken ?? -1], 300));
    engine.release(handle);
    const content = Buffer.from(engine.detokenize(answer)).toString();
    const next = await engine.tokenize({
      endpoint: 'chat',
      body: { messages: [...messages, { role: 'assistant', content }, { role: 'user', content: 'And why?' }] },
    });
    const { cachedTokens } = await after(clock, engine.prefill({ ...job(1, 50), prompt: next }));
    // All but the partial last block, and the answer's last token, whose cache nobody has computed.
    expect(cachedTokens).toBe(turn.length + answer.length - 1 - ((turn.length + answer.length - 1) % 8));
  });

  it('hands a cache over, and the other side goes on from any token as if nothing had happened', async () => {
    const { engine, clock } = setUp();
    const receiver = new SimulatedEngine(OPTIONS, clock);
    const { handle, firstToken } = await after(clock, engine.prefill(job(100)));
    const whole = await after(clock, decodeAll(engine, handle, [firstToken ?? -1]));
    engine.release(handle);
    for (const made of [1, 7, 49]) {
      const source = await hold(engine, clock);
      const room = await after(clock, receiver.prepareImport({ ...job(100), rank: 1 }));
      const { description, chunks } = engine.exportKv(source, room.cachedTokens);
      const taken = await after(clock, room.accept(description, chunks));
      expect(await after(clock, decodeAll(receiver, taken, whole.slice(0, made)))).toEqual(whole);
      engine.release(source);
      receiver.release(taken);
    }
    expect(receiver.rankStates()[1]).toMatchObject(EMPTY);
  });

  it('leaves out of a transfer what the receiver has, and takes the time that the bytes need', async () => {
    const { engine, clock } = setUp();
    const receiver = new SimulatedEngine(OPTIONS, clock);
    const source = await hold(engine, clock);
    const took: number[] = [];
    for (const cached of [0, 96]) {
      const start = clock.now();
      const room = await after(clock, receiver.prepareImport(job(100)));
      expect(room.cachedTokens).toBe(cached);
      const { description, chunks } = engine.exportKv(source, room.cachedTokens);
      expect(description).toMatchObject({ numTokens: 100, skippedTokens: cached, numBytes: (100 - cached) * 1000 });
      receiver.release(await after(clock, room.accept(description, chunks)));
      took.push(clock.now() - start);
    }
    // Over links of 1 MB/s, which send and receive at the same time.
    expect(took).toEqual([100, 4]);
  });

  it('sends chunks of at most 256 KiB, only as they are asked for', async () => {
    const { engine, clock } = setUp();
    const source = await hold(engine, clock, 700);
    const { chunks } = engine.exportKv(source, 0);
    const reader = chunks[Symbol.asyncIterator]();
    const sizes: number[] = [];
    for (let next = await after(clock, reader.next()); next.done !== true; next = await after(clock, reader.next())) {
      sizes.push(next.value.length);
      expect(clock.sleeping).toBe(0);
    }
    expect(sizes).toEqual([262_144, 262_144, 175_712]);
  });

  it('refuses a cache of another prompt, and frees the room', async () => {
    const { engine, clock } = setUp();
    const source = await hold(engine, clock);
    const room = await after(clock, engine.prepareImport({ ...job(100), rank: 1, prompt: prompt(100, 5) }));
    const { description, chunks } = engine.exportKv(source, 0);
    await expect(after(clock, room.accept(description, chunks))).rejects.toThrow(
      new KvMismatch('the bytes of token 0 of 100 differ'),
    );
    expect(engine.rankStates()[1]).toMatchObject(EMPTY);
  });

  it('frees the room of an import that is abandoned or whose source fails', async () => {
    const { engine, clock } = setUp();
    const source = await hold(engine, clock);
    const { description } = engine.exportKv(source, 0);
    const rooms = await after(clock, Promise.all([1, 1].map((rank) => engine.prepareImport({ ...job(100), rank }))));
    rooms[0]?.abandon();
    const broken: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('connection reset')) }),
    };
    await expect(rooms[1]?.accept(description, broken)).rejects.toThrow('connection reset');
    expect(engine.rankStates()[1]).toMatchObject(EMPTY);
  });

  it('does not read on from a cache that has been released', async () => {
    const { engine, clock } = setUp();
    const source = await hold(engine, clock, 700);
    const reader = engine.exportKv(source, 0).chunks[Symbol.asyncIterator]();
    await after(clock, reader.next());
    engine.release(source);
    await expect(reader.next()).rejects.toThrow('the KV cache was released while it was read');
    expect(() => engine.exportKv(source, 0)).toThrow('the handle was released');
    expect(() => setUp().engine.release(source)).toThrow('the handle was made by another engine');
  });

  it('makes a full rank wait, and one that can never fit fail', async () => {
    const { engine, clock } = setUp({ capacityTokens: 240 });
    const first = await hold(engine, clock, 100);
    const second = engine.prefill({ ...job(100), prompt: prompt(100, 50) });
    await clock.run();
    expect(engine.rankStates()[0]).toMatchObject({ numActiveRequests: 1, numActiveTokens: 100, numHeldHandoffs: 1 });
    engine.release(first);
    expect((await after(clock, second)).cachedTokens).toBe(0);
    await expect(engine.prefill(job(200))).rejects.toThrow(
      new EngineRefusal(
        'context_length_exceeded',
        '200 prompt tokens and 50 answer tokens exceed the KV cache of 240 tokens: shorten the prompt or lower max_tokens',
      ),
    );
    await expect(engine.prepareImport(job(990, 11))).rejects.toThrow(
      '990 prompt tokens and 11 answer tokens exceed the context of 1000 tokens: shorten the prompt or lower max_tokens',
    );
  });

  it('keeps salts apart', async () => {
    const { engine, clock } = setUp();
    await hold(engine, clock);
    const salted = () => after(clock, engine.prefill({ ...job(100), cacheSalt: 'tenant' }));
    expect([(await salted()).cachedTokens, (await salted()).cachedTokens]).toEqual([0, 96]);
  });

  it('ends by itself, or goes on to the limit when asked to', async () => {
    const { engine, clock } = setUp();
    const answers: number[][] = [];
    for (const ignoreEos of [false, true]) {
      const { handle, firstToken } = await after(clock, engine.prefill(job(100, 400)));
      answers.push(await after(clock, decodeAll(engine, handle, [firstToken ?? -1], 400, ignoreEos)));
      engine.release(handle);
    }
    const [natural, forced] = answers;
    expect(natural?.length).toBeLessThan(250);
    expect(forced).toHaveLength(400);
    expect(forced?.slice(0, natural?.length)).toEqual(natural);
  });

  it('yields nothing when all tokens are made already', async () => {
    const { engine, clock } = setUp();
    const handle = await hold(engine, clock);
    expect(await after(clock, decodeAll(engine, handle, [1, 2], 2))).toEqual([1, 2]);
  });

  it('stops decoding when the consumer returns or the handle is released', async () => {
    const { engine, clock } = setUp();
    const handle = await hold(engine, clock);
    const decoding = (): AsyncIterator<readonly number[]> =>
      engine.decode({ handle, generated: [1, 2], maxTokens: 50, sampling, signal: live })[Symbol.asyncIterator]();
    const first = decoding();
    await after(clock, first.next());
    await first.return?.();
    expect(engine.rankStates()[0]).toMatchObject({ numActiveRequests: 0, numHeldHandoffs: 1 });
    await expect(decodeAll(engine, handle, [1])).rejects.toThrow('answer tokens are known, but only 1 were given');
    engine.release(handle);
    await expect(decoding().next()).rejects.toThrow('the handle was released');
    expect(engine.rankStates()[0]).toMatchObject(EMPTY);
  });

  it('fails a decode whose handle is released, and one on a handle that is decoding', async () => {
    const { engine, clock } = setUp();
    const handle = await hold(engine, clock);
    const decoding = decodeAll(engine, handle, [1]);
    await expect(decodeAll(engine, handle, [1])).rejects.toThrow('a handle that is computing cannot be decoded from');
    engine.release(handle);
    await expect(decoding).rejects.toThrow('the handle was released while it was decoded');
  });

  it('tells listeners of every iteration and whenever a request leaves, and does nothing at all when idle', async () => {
    const { engine, clock } = setUp();
    let calls = 0;
    const stop = engine.onIteration(() => {
      calls += 1;
    });
    const handle = await hold(engine, clock, 100);
    expect([calls, clock.sleeping]).toEqual([2, 0]);
    engine.release(handle);
    expect(calls).toBe(3);
    stop();
    await hold(engine, clock);
    expect([calls, clock.sleeping]).toEqual([3, 0]);
  });

  it('ends every job when it stops, and takes no more', async () => {
    const { engine, clock } = setUp();
    await engine.start();
    const held = await hold(engine, clock);
    const room = await after(clock, engine.prepareImport({ ...job(100), rank: 1 }));
    const silent: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => null) }),
    };
    const jobs = Promise.allSettled([
      engine.prefill({ ...job(300), prompt: prompt(300, 9) }),
      room.accept(engine.exportKv(held, 0).description, silent),
      decodeAll(engine, held, [1]),
    ]);
    await engine.stop();
    expect(await jobs).toMatchObject(
      Array(3).fill({ status: 'rejected', reason: new Error('the engine was stopped') }),
    );
    await expect(engine.prefill(job(10))).rejects.toThrow('the engine was stopped');
    await clock.run();
    expect(engine.rankStates()).toMatchObject([EMPTY, EMPTY]);
  });

  it.each([
    [{ numRanks: 0 }, 'numRanks must be a positive integer, got 0'],
    [{ speedUp: 0 }, 'speedUp must be greater than 0, got 0'],
    [{ decodeStepMs: -1 }, 'decodeStepMs must be 0 or more, got -1'],
    [{ kvBytesPerToken: 6 }, 'kvBytesPerToken must be a multiple of 4, got 6'],
    [{ capacityTokens: 7 }, 'capacityTokens must be at least one block, got 7'],
  ])('refuses options with %j', (options, message) => {
    expect(() => setUp(options)).toThrow(message);
  });

  it('refuses a rank that is not there, an empty prompt, and an answer of nothing', async () => {
    const { engine } = setUp();
    await expect(engine.prefill({ ...job(10), rank: 2 })).rejects.toThrow('rank must be in range [0, 2), got 2');
    await expect(engine.prefill(job(0))).rejects.toThrow('the prompt is empty');
    await expect(engine.prefill(job(10, 0))).rejects.toThrow('maxTokens must be a positive integer, got 0');
  });
});
