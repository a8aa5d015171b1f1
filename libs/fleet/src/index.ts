export { Fleet, type FleetOptions } from './fleet.js';
export { Instance } from './instance.js';
export { KvFollower } from './kv-follower.js';
