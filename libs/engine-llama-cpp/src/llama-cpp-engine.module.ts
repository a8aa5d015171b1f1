import { type DynamicModule, Module } from '@nestjs/common';
import { ENGINE } from '@roost/engine';

import { LlamaCppEngine } from './llama-cpp-engine.js';
import type { LlamaCppEngineOptions } from './options.js';

/** Provides a llama.cpp engine as `ENGINE`. */
@Module({})
export class LlamaCppEngineModule {
  /** @throws as {@link LlamaCppEngine.open}, when the app starts */
  static with(options: LlamaCppEngineOptions): DynamicModule {
    return {
      module: LlamaCppEngineModule,
      providers: [{ provide: ENGINE, useFactory: () => LlamaCppEngine.open(options) }],
      exports: [ENGINE],
    };
  }
}
