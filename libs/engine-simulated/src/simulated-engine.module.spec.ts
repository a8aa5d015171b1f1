import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { ENGINE, type Engine } from '@roost/engine';

import { systemClock } from './clock.js';
import { SimulatedEngineModule } from './simulated-engine.module.js';

/** Owns: the engine as a Nest module, on the machine's clock. */

const OPTIONS = {
  model: 'm',
  numRanks: 1,
  maxBatchSize: 4,
  maxNumTokens: 64,
  maxSeqLen: 1000,
  tokensPerBlock: 8,
  capacityTokens: 800,
  defaultMaxTokens: 100,
  blockReuse: true,
  prefillTokensPerSecond: 1,
  decodeStepMs: 1_000_000,
  kvBandwidthBytesPerSecond: 1,
  kvBytesPerToken: 1000,
  speedUp: Number.POSITIVE_INFINITY,
};

describe('SimulatedEngineModule', () => {
  it('provides an engine that takes no time when infinitely sped up', async () => {
    const module = await Test.createTestingModule({ imports: [SimulatedEngineModule.with(OPTIONS)] }).compile();
    const engine = module.get<Engine>(ENGINE);
    const job = { rank: 0, conversationId: null, prompt: Uint32Array.of(1, 2, 3), maxTokens: 20 };
    const { signal } = new AbortController();
    const sampling = { ignoreEos: true };
    const { handle, firstToken } = await engine.prefill({ ...job, signal, sampling });
    const tokens = [firstToken];
    const decode = { handle, generated: [firstToken ?? -1], maxTokens: 20, sampling, signal };
    for await (const more of engine.decode(decode)) tokens.push(...more);
    expect(tokens).toHaveLength(20);
    await engine.stop();
  });

  it('says at the start which option is wrong', async () => {
    const module = SimulatedEngineModule.with({ ...OPTIONS, numRanks: 0 });
    await expect(Test.createTestingModule({ imports: [module] }).compile()).rejects.toThrow('numRanks');
  });
});

describe('the system clock', () => {
  it('lets others have their turn even when the time has come', async () => {
    let turns = 0;
    setImmediate(() => {
      turns += 1;
    });
    await systemClock.sleepUntil(0);
    expect(turns).toBe(1);
  });

  it('waits to within a millisecond', async () => {
    const at = systemClock.now() + 3.5;
    await systemClock.sleepUntil(at);
    expect(systemClock.now()).toBeGreaterThan(at - 1.5);
  });
});
