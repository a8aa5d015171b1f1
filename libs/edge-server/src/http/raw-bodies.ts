import type { FastifyInstance } from 'fastify';

/**
 * Bodies reach the handlers as the bytes that the client sent: the edge forwards them, and reads them once, where a bad one
 * gets a message that says what is wrong with it.
 */
export function acceptRawBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
