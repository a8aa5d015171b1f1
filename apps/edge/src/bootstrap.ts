export { createEdge, serveEdge } from '@roost/edge-server';
