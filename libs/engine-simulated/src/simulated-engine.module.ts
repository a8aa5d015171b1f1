import { type DynamicModule, Module } from '@nestjs/common';
import { ENGINE } from '@roost/engine';

import type { SimulatedEngineOptions } from './options.js';
import { SimulatedEngine } from './simulated-engine.js';

/** Provides a simulated engine as `ENGINE`. */
@Module({})
export class SimulatedEngineModule {
  /** @throws RangeError, when the app starts, that names the option at fault */
  static with(options: SimulatedEngineOptions): DynamicModule {
    return {
      module: SimulatedEngineModule,
      providers: [{ provide: ENGINE, useFactory: () => new SimulatedEngine(options) }],
      exports: [ENGINE],
    };
  }
}
