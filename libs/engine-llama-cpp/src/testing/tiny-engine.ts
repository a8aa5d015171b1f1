import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

const MODEL = 'tiny.gguf';

/** Makes engines of the tiny model in a folder of their own, and ends them all. */
export class TinyEngines {
  private folder: string | null = null;
  private readonly engines: LlamaCppEngine[] = [];

  /** Where the engines put states; made, with the model, when it is first asked for: skipped tests leave nothing. */
  get stateFolder(): string {
    return path.join(this.place, 'states');
  }

  /** A started engine. */
  async open(options: Partial<LlamaCppEngineOptions> = {}): Promise<LlamaCppEngine> {
    const engine = await LlamaCppEngine.open({
      model: 'tiny',
      modelPath: path.join(this.place, MODEL),
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
    if (this.folder !== null) rmSync(this.folder, { recursive: true, force: true });
  }

  private get place(): string {
    if (this.folder === null) {
      this.folder = mkdtempSync(path.join(tmpdir(), 'roost-tiny-'));
      mkdirSync(path.join(this.folder, 'states'));
      writeFileSync(path.join(this.folder, MODEL), tinyModel());
    }
    return this.folder;
  }
}
