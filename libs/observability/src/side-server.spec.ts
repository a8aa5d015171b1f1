import { request } from 'node:http';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { jsonAnswer, SideServer } from './side-server.js';

// Owns: who is answered what: paths, methods, other hosts, and answers that fail.

describe('SideServer', () => {
  let server: SideServer;

  beforeEach(async () => {
    server = await SideServer.start({ host: '127.0.0.1', port: 0, localOnly: true }, (path) => {
      if (path === '/broken') throw new Error('SECRET');
      return path === '/known' ? jsonAnswer({ path }) : null;
    });
  });

  afterEach(() => server.close());

  function ask(path: string, { method = 'GET', host = 'localhost' } = {}): Promise<[number | undefined, string]> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: server.port, path, method, headers: { host } };
      const asked = request(options, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text: string) => (body += text));
        answer.on('end', () => resolve([answer.statusCode, body]));
      });
      asked.on('error', reject).end();
    });
  }

  it('answers what it knows, whatever the query', async () => {
    expect(await ask('/known?a=b')).toEqual([200, '{"path":"/known"}']);
  });

  it('knows nothing else, and takes GET only', async () => {
    expect((await ask('/unknown'))[0]).toBe(404);
    expect((await ask('/known', { method: 'POST' }))[0]).toBe(405);
  });

  it('tells nothing of an answer that fails', async () => {
    const [status, body] = await ask('/broken');
    expect(status).toBe(500);
    expect(body).not.toContain('SECRET');
  });

  it.each(['127.0.0.1:8001', 'localhost', '[::1]:8001'])('answers %s', async (host) => {
    expect((await ask('/known', { host }))[0]).toBe(200);
  });

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:8001', 'x@localhost'])(
    'does not answer %s',
    async (host) => {
      expect((await ask('/known', { host }))[0]).toBe(403);
    },
  );

  it('cannot have a port that is taken', async () => {
    const again = SideServer.start({ host: '127.0.0.1', port: server.port }, () => null);
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
