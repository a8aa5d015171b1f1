import { Amount, Free, Section, Text, Whole } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';

import { LlamaCppEngineSettings } from './llama-cpp-engine-settings.js';

/** The modelled speed of the embedded engine. */
@Group({
  title: 'engine.simulated',
  meaning:
    'The modelled speed of the embedded engine, which keeps a real block cache and runs real iterations in modelled time.',
  source: 'ours',
  ignored: [],
})
export class SimulatedEngineSettings {
  @Amount('Speed of prefill on one rank.', { unit: 'tokens/s', open: true })
  readonly prefill_tokens_per_second: number = 8000;

  @Amount('Time of one decode iteration.', { unit: 'ms', open: true })
  readonly decode_step_ms: number = 15;

  @Amount('Speed at which a KV cache is sent.', {
    unit: 'bytes/s',
    open: true,
  })
  readonly kv_bandwidth_bytes_per_second: number = 1e9;

  @Whole("Size of one token's KV cache on the wire.", { unit: 'bytes' })
  readonly kv_bytes_per_token: number = 256;

  @Amount('How many times faster than modelled everything runs.', {
    open: true,
  })
  readonly speed_up: number = 1;

  @Whole('Longest answer to a request that sets no limit.', {
    unit: 'tokens',
  })
  readonly default_max_tokens: number = 512;
}

/** Which engine a worker runs. */
@Group({
  title: 'engine',
  meaning: 'Which engine a worker runs.',
  source: 'ours',
  ignored: [],
})
export class EngineSettings {
  @Text('Name that the engine is registered under: `simulated` is embedded, `llama-cpp` runs a real model.')
  readonly type: string = 'simulated';

  @Text('npm package or path of the Nest module that registers a third-party engine.', { nullable: true })
  readonly module: string | null = null;

  @Section('Settings of the engine `simulated`.', () => SimulatedEngineSettings)
  readonly simulated: SimulatedEngineSettings = new SimulatedEngineSettings();

  @Section('Settings of the engine `llama-cpp`.', () => LlamaCppEngineSettings)
  readonly llama_cpp: LlamaCppEngineSettings = new LlamaCppEngineSettings();

  @Free('Settings of a third-party engine, which checks them itself.', {
    defaultText: '{}',
  })
  readonly options: Readonly<Record<string, unknown>> = {};
}
