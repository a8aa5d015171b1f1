export { runReplay } from './run-replay.js';
