import { existsSync } from 'node:fs';

import type { LlamaCppEngineOptions } from '../options.js';
import { loadRuntime, type Runtime } from '../runtime/load-runtime.js';
import type { LlamaModel } from '../runtime/node-llama-cpp.js';

import { hashFile } from './hash-file.js';
import { UnsupportedModel, Vocabulary } from './vocabulary.js';

/** A model ready to compute with, and what is known of its file. */
export interface OpenModel {
  readonly runtime: Runtime;
  readonly model: LlamaModel;
  /** SHA-256 of the file. */
  readonly hash: string;
  readonly vocabulary: Vocabulary;
  /** The Jinja source of the chat template, or null when the file has none. */
  readonly chatTemplate: string | null;
}

/**
 * Loads a GGUF file.
 *
 * @throws RuntimeMissing; UnsupportedModel when the file is not there, is no model, or is one whose state cannot be cut
 */
export async function openModel({ modelPath, runtimePath, gpuLayers }: LlamaCppEngineOptions): Promise<OpenModel> {
  const runtime = await loadRuntime(runtimePath, gpuLayers > 0);
  if (!existsSync(modelPath)) {
    throw new UnsupportedModel(
      `there is no model at ${modelPath}: run \`npm run roost model fetch smollm2-135m\`, or name a GGUF file in engine.llama_cpp.model_path`,
    );
  }
  const model = await runtime.llama.loadModel({ modelPath, gpuLayers }).catch((error: unknown) => {
    throw new UnsupportedModel(`${modelPath} cannot be loaded: ${String(error)}`, { cause: error });
  });
  const { isRecurrent, isHybrid } = model.fileInsights;
  if (isRecurrent || isHybrid === true) {
    throw new UnsupportedModel(`${modelPath} is a recurrent model, whose state cannot be cut back to a shared prefix`);
  }
  const { ggml, chat_template: template } = tokenizerOf(model);
  const vocabulary = new Vocabulary(ggml);
  return {
    runtime,
    model,
    hash: await hashFile(modelPath),
    vocabulary,
    chatTemplate: typeof template === 'string' ? template : null,
  };
}

function tokenizerOf(model: LlamaModel): { ggml: Record<string, unknown>; chat_template?: unknown } {
  const { tokenizer } = model.fileInfo.metadata as { tokenizer?: Record<string, unknown> };
  const ggml = tokenizer?.['ggml'];
  if (typeof ggml !== 'object' || ggml === null) throw new UnsupportedModel('the file has no tokenizer');
  return { ...tokenizer, ggml: ggml as Record<string, unknown> };
}
