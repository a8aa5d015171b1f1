export { InMemoryBindingStore, type InMemoryBindingStoreOptions } from './bindings/in-memory-binding-store.js';
export {
  CHARS_PER_TOKEN,
  type ConversationOptions,
  ConversationRouter,
  type Tokenize,
} from './conversation/conversation-router.js';
export { contentPinOfBody } from './kv-cache-aware/content-pin.js';
export { type KvCacheAwareOptions, KvCacheAwareRouter } from './kv-cache-aware/kv-cache-aware-router.js';
export {
  type LoadBalancingOptions,
  LoadBalancingRouter,
  UnweighableRequestError,
} from './load-balancing/load-balancing-router.js';
export { type BindingStore } from './ports/binding-store.js';
export {
  type BindingCounts,
  type Decision,
  type FleetRouter,
  type Placement,
  type RouteRequest,
} from './ports/fleet-router.js';
export { createRouterRegistry, DEFAULT_ROUTER_TYPE } from './registry/built-in-routers.js';
export { RouterArgumentError, RouterArguments } from './registry/router-arguments.js';
export {
  type CreatedRouter,
  type RouterDependencies,
  type RouterFactory,
  RouterRegistry,
  UnsupportedRouterTypeError,
} from './registry/router-registry.js';
export { RoundRobinRouter } from './round-robin/round-robin-router.js';
