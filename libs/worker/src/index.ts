export { createWorker, serveWorker } from './create-worker.js';
export { type EngineModuleFactory } from './engine-module.js';
export { WorkerModule } from './worker.module.js';
