import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Sampling } from '@roost/engine';

import { LlamaCppEngine } from '../llama-cpp-engine.js';
import { tinyModel } from '../model/tiny-model.js';
import type { LlamaCppEngineOptions } from '../options.js';
import { findRuntime } from '../runtime/load-runtime.js';

/** Why tests that need the runtime cannot run, or null. */
export const whyNoRuntime: string | null = (() => {
  try {
    findRuntime();
    return null;
  } catch (error) {
    return String(error);
  }
})();

/** Always the likeliest token, and on past the end. */
export const GREEDY: Sampling = { temperature: 0, ignoreEos: true };

/** Makes engines of the tiny model in a folder of their own, and ends them all. */
export class TinyEngines {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'roost-tiny-'));
  readonly stateFolder = mkdtempSync(path.join(this.folder, 'states-'));
  readonly modelPath = path.join(this.folder, 'tiny.gguf');
  private readonly engines: LlamaCppEngine[] = [];

  constructor() {
    writeFileSync(this.modelPath, tinyModel());
  }

  /** A started engine. */
  async open(options: Partial<LlamaCppEngineOptions> = {}): Promise<LlamaCppEngine> {
    const engine = await LlamaCppEngine.open({
      model: 'tiny',
      modelPath: this.modelPath,
      numRanks: 1,
      sequences: 4,
      maxBatchSize: 8,
      batchTokens: 48,
      contextSize: 512,
      defaultMaxTokens: 32,
      tokensPerBlock: 16,
      reuse: true,
      threads: 1,
      gpuLayers: 0,
      flashAttention: false,
      stateDirectory: this.stateFolder,
      runtimePath: null,
      ...options,
    });
    this.engines.push(engine);
    await engine.start();
    return engine;
  }

  /** Stops the engines that are not stopped yet. */
  async stop(): Promise<void> {
    for (const engine of this.engines.splice(0)) await engine.stop();
  }

  /** Stops all, and removes the folder. */
  async close(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
