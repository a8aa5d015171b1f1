import { runReplay } from './run-replay.js';

await runReplay('replay', process.argv.slice(2));
