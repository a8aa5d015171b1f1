import { describe, expect, it } from '@jest/globals';
import { parseClusterConfig } from '@roost/config';
import { createEdge } from '@roost/edge';
import fc from 'fast-check';

import { RendezvousRouter } from './rendezvous-router.js';
import { RendezvousModule } from './rendezvous.module.js';

const request = (key: string | null): Parameters<RendezvousRouter['route']>[0] => ({
  conversationId: key,
  subagentAffinityId: null,
  textChars: 1,
  text: () => '',
  promptTokenIds: null,
});

describe('RendezvousRouter', () => {
  it('moves only the keys of a server that goes', () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 8 }),
        fc.string(),
        (names, key) => {
          const router = new RendezvousRouter(names);
          const home = router.route(request(key))?.server ?? '';
          const other = names.find((name) => name !== home) ?? '';
          router.removeServer(other);
          expect(router.route(request(key))?.server).toBe(home);
          expect(router.route(request(key), new Set([home]))?.server).not.toBe(home);
        },
      ),
    ));

  it('has no candidate when all are excluded', () => {
    expect(new RendezvousRouter(['a']).route(request('k'), new Set(['a']))).toBeNull();
  });
});

describe('an edge with an extension', () => {
  const yaml = (type: string): string =>
    `port: 0\nhostname: 127.0.0.1\nlogging: { level: silent }\ngeneration_servers:\n  urls: ["127.0.0.1:9"]\n  router: { type: ${type} }\n`;

  it('starts with the router type that the extension brings', async () => {
    const app = await createEdge(parseClusterConfig(yaml('rendezvous')).config, [RendezvousModule]);
    await expect(app.init()).resolves.toBeDefined();
    await app.close();
  });

  it('says which types there are when nobody brings it', async () => {
    const app = await createEdge(parseClusterConfig(yaml('rendezvous')).config);
    await expect(app.init()).rejects.toThrow(/Unsupported router type: rendezvous.*round_robin/);
  });
});
