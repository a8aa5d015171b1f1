import { type DynamicModule, Module } from '@nestjs/common';
import type { WorkerConfig } from '@roost/config';
import { ENGINE } from '@roost/engine';
import type { EngineModuleFactory } from '@roost/worker';

import { ParrotEngine } from './parrot-engine.js';

/** Provides a {@link ParrotEngine} as `ENGINE`. */
@Module({})
class ParrotEngineModule {}

/** What `engine.module: '@roost/example-extension/engine'` leads to. */
const parrotEngineModule: EngineModuleFactory = (config: WorkerConfig): DynamicModule => ({
  module: ParrotEngineModule,
  providers: [{ provide: ENGINE, useFactory: () => new ParrotEngine(infoOf(config)) }],
  exports: [ENGINE],
});

// A worker takes the default export: it knows the package's name alone.
// eslint-disable-next-line import-x/no-default-export
export default parrotEngineModule;

function infoOf(config: WorkerConfig): ParrotEngine['info'] {
  return {
    engine: 'parrot',
    model: config.model,
    numRanks: config.num_ranks,
    maxBatchSize: config.max_batch_size,
    maxNumTokens: config.max_num_tokens,
    maxSeqLen: config.max_seq_len,
    defaultMaxTokens: 256,
    tokensPerBlock: config.kv_cache_config.tokens_per_block,
    promptFormat: 'utf-8-bytes',
    kvCacheHashAlgo: 'none',
    kvLayout: 'parrot-1',
  };
}
