import type { FastifyInstance } from 'fastify';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** The methods that the server has a route for at a path without parameters; none where it has no route at all. */
export function allowedMethods(server: FastifyInstance, path: string): string[] {
  return METHODS.filter((method) => server.hasRoute({ method, url: path }));
}
