export type { DemoRequest, DemoResult } from './demo/demo-request.js';
export { type DemoAnswer, sendRequest } from './demo/edge-client.js';
export { handbook } from './demo/handbook.js';
export { runCli } from './program.js';
