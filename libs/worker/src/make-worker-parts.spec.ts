// Owns: that the fields of attention_dp_config reach what acts upon them.
import { describe, expect, it } from '@jest/globals';
import { parseWorkerConfig } from '@roost/config';
import type { Engine } from '@roost/engine';

import { makeWorkerParts } from './make-worker-parts.js';
import { CountingEngine, never, rankRequest, turn } from './testing/counting-engine.js';

describe('a worker with attention_dp_config', () => {
  it.each([
    ['{enable_balance: true, timeout_iters: 2, batching_wait_iters: 0}', 2],
    ['{enable_balance: true, timeout_iters: 0, batching_wait_iters: 0}', 0],
    ['{enable_balance: false, timeout_iters: 2}', 0],
  ])('%s holds a lone request for %s iterations', async (fields, iterations) => {
    const engine = new CountingEngine(2);
    engine.active.fill(1);
    const { config } = parseWorkerConfig(
      `enable_attention_dp: true\ntensor_parallel_size: 2\nattention_dp_config: ${fields}`,
    );
    const parts = await makeWorkerParts(engine as unknown as Engine, config);
    let waited = -1;
    let ended = 0;
    void parts.queue.run(rankRequest(), never, () => {
      waited = ended;
      return Promise.resolve();
    });
    await turn();
    while (waited < 0 && ended < 10) {
      ended++;
      engine.iterate();
      await turn();
    }
    expect(waited).toBe(iterations);
    parts.queue.close();
  });
});
