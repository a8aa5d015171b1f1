export { runGenerateTrace } from './run-generate-trace.js';
export { runReplay } from './run-replay.js';
