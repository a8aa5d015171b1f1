export { Fleet, type FleetOptions } from './fleet.js';
export { Instance } from './instance.js';
