import type { DynamicModule } from '@nestjs/common';
import type { WorkerConfig } from '@roost/config';
import { LlamaCppEngineModule, type LlamaCppEngineOptions, modelFile } from '@roost/engine-llama-cpp';
import { SimulatedEngineModule, type SimulatedEngineOptions } from '@roost/engine-simulated';

/** What a package that brings an engine exports by default: a Nest module that provides and exports `ENGINE`. */
export type EngineModuleFactory = (config: WorkerConfig) => DynamicModule | Promise<DynamicModule>;

/**
 * The module of the engine that a configuration names: one of ours, or the default export of `engine.module`.
 *
 * @throws Error that names the key at fault
 */
export async function engineModuleOf(config: WorkerConfig): Promise<DynamicModule> {
  const { type, module } = config.engine;
  if (module !== null) {
    const loaded = (await import(module)) as { default?: unknown };
    if (typeof loaded.default !== 'function') {
      throw new Error(`engine.module ${module} has no default export that makes a Nest module`);
    }
    return (loaded.default as EngineModuleFactory)(config);
  }
  if (type === 'simulated') return SimulatedEngineModule.with(simulatedOptionsOf(config));
  if (type === 'llama-cpp') return LlamaCppEngineModule.with(llamaCppOptionsOf(config));
  throw new Error(
    `engine.type ${type} is unknown: use simulated or llama-cpp, or name the package that brings it in engine.module`,
  );
}

function simulatedOptionsOf(config: WorkerConfig): SimulatedEngineOptions {
  const { simulated } = config.engine;
  return {
    model: config.model,
    numRanks: config.num_ranks,
    maxBatchSize: config.max_batch_size,
    maxNumTokens: config.max_num_tokens,
    maxSeqLen: config.max_seq_len,
    tokensPerBlock: config.kv_cache_config.tokens_per_block,
    capacityTokens: config.kv_cache_config.max_tokens,
    blockReuse: config.kv_cache_config.enable_block_reuse,
    defaultMaxTokens: simulated.default_max_tokens,
    prefillTokensPerSecond: simulated.prefill_tokens_per_second,
    decodeStepMs: simulated.decode_step_ms,
    kvBandwidthBytesPerSecond: simulated.kv_bandwidth_bytes_per_second,
    kvBytesPerToken: simulated.kv_bytes_per_token,
    speedUp: simulated.speed_up,
  };
}

function llamaCppOptionsOf(config: WorkerConfig): LlamaCppEngineOptions {
  const { llama_cpp: settings } = config.engine;
  return {
    model: config.model,
    modelPath: modelFile(settings.model_path),
    numRanks: config.num_ranks,
    sequences: settings.sequences,
    maxBatchSize: config.max_batch_size,
    batchTokens: Math.min(settings.batch_tokens, config.max_num_tokens),
    contextSize: Math.min(settings.context_size, config.max_seq_len),
    defaultMaxTokens: settings.default_max_tokens,
    tokensPerBlock: config.kv_cache_config.tokens_per_block,
    reuse: config.kv_cache_config.enable_block_reuse,
    threads: settings.threads,
    gpuLayers: settings.gpu_layers,
    flashAttention: settings.flash_attention,
    stateDirectory: settings.state_directory,
    runtimePath: settings.runtime_path,
  };
}
