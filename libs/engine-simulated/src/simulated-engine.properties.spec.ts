import { describe, expect, it } from '@jest/globals';
import type { Engine, KvHandle, RankState } from '@roost/engine';
import fc from 'fast-check';

import type { SimulatedEngineOptions } from './options.js';
import { SimulatedEngine } from './simulated-engine.js';
import { VirtualClock } from './virtual-clock.js';

/** Owns: that jobs cancelled at any moment leave nothing behind, and that an answer does not depend on how it was served. */

const OPTIONS: SimulatedEngineOptions = {
  model: 'm',
  numRanks: 2,
  maxBatchSize: 3,
  maxNumTokens: 32,
  maxSeqLen: 400,
  tokensPerBlock: 8,
  capacityTokens: 400,
  defaultMaxTokens: 100,
  blockReuse: true,
  prefillTokensPerSecond: 2000,
  decodeStepMs: 5,
  kvBandwidthBytesPerSecond: 1_000_000,
  kvBytesPerToken: 400,
  speedUp: 1,
};

interface Request {
  /** Sends a handoff to the other engine, or stays. */
  readonly disaggregated: boolean;
  readonly rank: number;
  readonly prompt: Uint32Array;
  readonly maxTokens: number;
  /** Decodes so many tokens, lets go, and begins anew elsewhere from there; 0: never. */
  readonly diesAfter: number;
}

const request: fc.Arbitrary<Request> = fc.record({
  disaggregated: fc.boolean(),
  rank: fc.nat(1),
  prompt: fc
    .tuple(fc.integer({ min: 0, max: 12 }), fc.array(fc.nat(1), { minLength: 1, maxLength: 40, size: 'max' }))
    .map(([shared, own]) => Uint32Array.from([...Array<number>(shared * 8).fill(9), ...own])),
  maxTokens: fc.integer({ min: 1, max: 60 }),
  diesAfter: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 20 })),
});

/** Two engines on one clock, serving a request in the way that it asks for. */
class Service {
  readonly clock = new VirtualClock();
  readonly context = new SimulatedEngine(OPTIONS, this.clock);
  readonly generation = new SimulatedEngine(OPTIONS, this.clock);

  async serve(given: Request, signal: AbortSignal): Promise<number[]> {
    const made: number[] = [];
    const complete = await this.attempt(given, made, given.diesAfter, signal);
    if (!complete) await this.attempt(given, made, 0, signal);
    return made;
  }

  get states(): readonly RankState[] {
    return [...this.context.rankStates(), ...this.generation.rankStates()];
  }

  /** Adds to the tokens that are made; false when it died before the end. */
  private async attempt(given: Request, made: number[], limit: number, signal: AbortSignal): Promise<boolean> {
    const { disaggregated, rank, prompt, maxTokens } = given;
    const job = { rank, conversationId: null, prompt, signal, sampling: { ignoreEos: false } };
    const { context, generation } = this;
    const prefilled = await context.prefill({ ...job, maxTokens: disaggregated ? 1 : maxTokens });
    if (made.length === 0 && prefilled.firstToken !== null) made.push(prefilled.firstToken);
    const [engine, handle] = disaggregated
      ? ([generation, await this.handOver(prefilled.handle, { ...job, maxTokens })] as const)
      : ([context, prefilled.handle] as const);
    try {
      return await this.decode(engine, handle, made, { maxTokens, limit, signal });
    } finally {
      engine.release(handle);
    }
  }

  private async handOver(source: KvHandle, job: Parameters<Engine['prepareImport']>[0]): Promise<KvHandle> {
    try {
      const room = await this.generation.prepareImport(job);
      const { description, chunks } = this.context.exportKv(source, room.cachedTokens);
      return await room.accept(description, chunks);
    } finally {
      this.context.release(source);
    }
  }

  private async decode(
    engine: Engine,
    handle: KvHandle,
    made: number[],
    { maxTokens, limit, signal }: { maxTokens: number; limit: number; signal: AbortSignal },
  ): Promise<boolean> {
    const job = { handle, generated: [...made], maxTokens, sampling: { ignoreEos: false }, signal };
    for await (const tokens of engine.decode(job)) {
      made.push(...tokens);
      if (limit > 0 && made.length >= limit) return false;
    }
    return true;
  }
}

const NOTHING = { numActiveRequests: 0, numActiveTokens: 0, kvBlocksPinned: 0, numHeldHandoffs: 0 };

/** The answer of an engine that does nothing else. */
async function answerAlone(given: Request): Promise<number[]> {
  const service = new Service();
  const answer = service.serve({ ...given, disaggregated: false, diesAfter: 0 }, new AbortController().signal);
  await service.clock.run();
  return await answer;
}

describe('SimulatedEngine under random jobs', () => {
  it(
    'gives every request its one answer, or its cancellation, and is empty afterwards',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(request, fc.option(fc.nat(120))), { minLength: 1, maxLength: 8, size: 'max' }),
          async (requests) => {
            const service = new Service();
            const running = requests.map(([given, cancelledAt]) => {
              const controller = new AbortController();
              const outcome = service.serve(given, controller.signal);
              return { given, cancelledAt, controller, outcome: Promise.allSettled([outcome]) };
            });
            let busiest = 0;
            for (let step = 0; await service.clock.step(); step += 1) {
              for (const { cancelledAt, controller } of running) {
                if (cancelledAt === step) controller.abort(new Error('gone'));
              }
              const used = service.states.map((state) => state.kvBlocksPinned + state.kvBlocksCached);
              busiest = Math.max(busiest, ...used);
            }
            expect(busiest).toBeLessThanOrEqual(OPTIONS.capacityTokens / OPTIONS.tokensPerBlock);
            for (const { given, controller, outcome } of running) {
              const [settled] = await outcome;
              const answer = { status: 'fulfilled', value: await answerAlone(given) };
              const cancelled = { status: 'rejected', reason: new Error('gone') };
              expect(settled).toEqual(settled.status === 'rejected' ? cancelled : answer);
              expect(settled.status === 'rejected' && !controller.signal.aborted).toBe(false);
            }
            expect(service.states).toMatchObject(service.states.map(() => NOTHING));
            expect(service.clock.sleeping).toBe(0);
          },
        ),
        { numRuns: 60 },
      ),
    60_000,
  );
});
