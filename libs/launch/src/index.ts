export { startApp, startFailure } from './start-app.js';
