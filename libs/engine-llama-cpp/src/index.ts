export { LlamaCppEngine } from './llama-cpp-engine.js';
export { LlamaCppEngineModule } from './llama-cpp-engine.module.js';
export { UnsupportedModel } from './model/vocabulary.js';
export type { LlamaCppEngineOptions } from './options.js';
export { findRuntime, RuntimeMissing } from './runtime/load-runtime.js';
export { tinyModel } from './model/tiny-model.js';
export { FetchFailed, fetchSmolLm2, type FetchTools } from './store/fetch-smollm2.js';
export { MODEL_FILES, modelFile, modelsDirectory } from './store/models-directory.js';
export { writeAtomically } from './store/write-atomically.js';
