export { createAdpRouter, type AttentionDpOptions } from './create-adp-router.js';
export { AdpCapacityExceeded } from './errors.js';
export { PLACEMENTS } from './placements/placements.js';
export type {
  AdpRequest,
  AdpRouter,
  Assignment,
  BindingCounts,
  Decision,
  DecisionKind,
  RankLoad,
} from './ports/adp-router.js';
export type { PlacedRequest, Placement, PlacementStrategy, RankCounts } from './ports/placement.js';
export { AssignmentQueue, type AssignmentQueueOptions, type QueuedRequest } from './queue/assignment-queue.js';
export { type BalanceLimits, balanceLimitsOf, type BalanceOptions } from './queue/balance.js';
export { measureRankLoad, type RankRequest } from './rank-load.js';
export { ConversationRouter, type ConversationRouterOptions } from './routers/conversation/conversation-router.js';
export { DefaultRouter } from './routers/default/default-router.js';
export { KvCacheAwareRouter, type KvCacheAwareRouterOptions } from './routers/kv-cache-aware/kv-cache-aware-router.js';
export { routingKey } from './routing-key.js';
