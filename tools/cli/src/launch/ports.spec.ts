import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

import { describe, expect, it } from '@jest/globals';

import { checkPorts } from './ports.js';

describe('checkPorts', () => {
  it('names the child whose port is taken, and what to do', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const place = { name: 'context-1', host: '127.0.0.1', port };
    await expect(checkPorts([place])).rejects.toThrow(
      new RegExp(`^context-1: port ${String(port)} of 127.0.0.1 is taken by another process; .*change the port`),
    );
    server.close();
    await once(server, 'close');
    await expect(checkPorts([place])).resolves.toBeUndefined();
  });

  it('names every child that cannot listen, at once', async () => {
    const servers = [createServer().listen(0, '127.0.0.1'), createServer().listen(0, '127.0.0.1')];
    await Promise.all(servers.map((server) => once(server, 'listening')));
    const places = servers.map((server, index) => {
      const { port } = server.address() as AddressInfo;
      return { name: `context-${String(index)}`, host: '127.0.0.1', port };
    });
    await expect(checkPorts(places)).rejects.toThrow(/^context-0: port .*\ncontext-1: port /);
    for (const server of servers) server.close();
  });

  it('says that an address is of another machine', async () => {
    // 192.0.2.0/24 is reserved for documentation.
    await expect(checkPorts([{ name: 'context-1', host: '192.0.2.1', port: 8001 }])).rejects.toThrow(
      'context-1: 192.0.2.1:8001 is not an address of this machine',
    );
  });

  it('names two children that were given the same place', async () => {
    const place = { host: '127.0.0.1', port: 8001 };
    await expect(
      checkPorts([
        { name: 'edge', ...place },
        { name: 'context-1', ...place },
      ]),
    ).rejects.toThrow('context-1 and edge are both to listen on 127.0.0.1:8001');
  });
});
