import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { parseClusterConfig } from '@roost/config';
import { createRouterRegistry } from '@roost/fleet-router';

import { makeRoutedFleet } from './make-routed-fleet.js';

// Owns: a router that cannot be made is told with the section that it stands in.

const make = (router: string): unknown => {
  const { config } = parseClusterConfig(`generation_servers: {urls: ["g:1"], router: ${router}}`);
  const { generation_servers: section } = config;
  if (section === null) throw new Error('no section');
  const parts = { affinity: false, routers: createRouterRegistry(), logger: new Logger(), agreed: null };
  return makeRoutedFleet('generation', section, config, parts);
};

describe('makeRoutedFleet', () => {
  it.each([
    ['{type: random}', 'generation_servers.router: Unsupported router type: random.'],
    ['{type: conversation, match_threshold: 7}', 'generation_servers.router: match_threshold must be'],
  ])('names the section of %s', (router, message) => {
    expect(() => make(router)).toThrow(message);
  });
});
