import { RoostError } from '@roost/protocol';
import type { FastifyInstance } from 'fastify';

/**
 * Bodies reach the handlers as the bytes that the client sent: the edge forwards them, and reads them once, where a bad one
 * gets a message that says what is wrong with it. A compressed one is refused: it would reach the workers compressed.
 */
export function acceptRawBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, ({ headers }, body, done) => {
    const encoding = headers['content-encoding'] ?? 'identity';
    done(encoding === 'identity' ? null : encodingRefused(encoding), body);
  });
}

function encodingRefused(encoding: string): RoostError {
  const message = `the content encoding ${encoding.slice(0, 40)} is not supported: send the body as it is`;
  return new RoostError('unsupported_media_type', message, { param: 'content-encoding' });
}
