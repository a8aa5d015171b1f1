export { createEdge, type EdgeExtension, serveEdge } from './create-edge.js';
export { EdgeServerModule } from './edge-server.module.js';
export { RouterTypesModule } from './fleets/router-types.module.js';
