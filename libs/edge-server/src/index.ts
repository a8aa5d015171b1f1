export { createEdge, serveEdge } from './create-edge.js';
export type { EdgeExtension } from './edge-extension.js';
export { EdgeServerModule } from './edge-server.module.js';
export { RouterTypesModule } from './fleets/router-types.module.js';
export type { ExplainedAttempt, ExplainedLeg, Explanation } from './explain/explain-request.js';
