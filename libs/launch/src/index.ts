export { requireNode } from './node-version.js';
export { startApp, startFailure } from './start-app.js';
