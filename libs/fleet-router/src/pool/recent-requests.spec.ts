import { expect, it } from '@jest/globals';

import { RecentRequests } from './recent-requests.js';
import { Server } from './server.js';

it('counts requests of one life of a server, older ones less', () => {
  let now = 0;
  const recent = new RecentRequests(1000, () => now);
  const [server, reborn] = [new Server('a', () => undefined), new Server('a', () => undefined)];
  expect(recent.of(server)).toBe(0);
  recent.add(server);
  recent.add(server);
  expect(recent.of(server)).toBe(2);
  now = 1000;
  expect(recent.of(server)).toBeCloseTo(2 / Math.E);
  recent.add(server);
  now = 2000;
  expect(recent.of(server)).toBeCloseTo(2 / Math.E ** 2 + 1 / Math.E);
  expect(recent.of(reborn)).toBe(0);
});
