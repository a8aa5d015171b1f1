export { eventually } from './eventually.js';
export { freePort } from './free-port.js';
