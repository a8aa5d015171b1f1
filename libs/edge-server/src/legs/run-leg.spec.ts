import { afterEach, describe, expect, it } from '@jest/globals';
import { Fleet } from '@roost/fleet';
import { createRouterRegistry } from '@roost/fleet-router';
import { type ErrorCode, RoostError } from '@roost/protocol';

import { type LegRoute, RoutedFleet } from '../fleets/routed-fleet.js';
import { ServedRequest } from '../request/served-request.js';

import { runLeg } from './run-leg.js';

// Owns: which errors are tried elsewhere and how often, what is waited for, and that load is reserved before and given back after each attempt.

const SERVERS = ['127.0.0.1:1', '127.0.0.1:2', '127.0.0.1:3'];
const route: LegRoute = {
  prompt: null,
  conversationId: 'c',
  subagentAffinityId: null,
  textChars: 50,
  text: () => '',
  promptTokenIds: null,
};
const budget = { onError: 1, onLoss: 5 };
const fleets: Fleet[] = [];

function routedOver(serving: readonly string[] = SERVERS): RoutedFleet {
  const fleet = new Fleet('context', SERVERS, { pollIntervalMs: 1_000, probeTimeoutMs: 1_000 });
  fleets.push(fleet);
  const suspects = new Set(SERVERS.filter((server) => !serving.includes(server)));
  fleet.notServing = () => new Set(suspects);
  fleet.suspect = ({ server }) => void suspects.add(server);
  fleet.servesSoon = () => Promise.resolve(false);
  return new RoutedFleet(fleet, createRouterRegistry().create('conversation', {}, { servers: SERVERS }).router, true);
}

function requestWith(signal: AbortSignal = new AbortController().signal): ServedRequest {
  return new ServedRequest('r', {} as never, {} as never, Date.now() + 60_000, signal);
}

const totalLoad = ({ router }: RoutedFleet): number =>
  [...router.loads().values()].reduce((sum, load) => sum + load, 0);

describe('runLeg', () => {
  afterEach(() => {
    for (const fleet of fleets.splice(0)) fleet.stop();
  });

  const failing = async (code: ErrorCode, times: number): Promise<{ servers: string[]; failed: string | null }> => {
    const routed = routedOver();
    const request = requestWith();
    const servers: string[] = [];
    const outcome = runLeg(routed, request, route, budget, ({ instance }) => {
      expect(totalLoad(routed)).toBe(10);
      servers.push(instance.server);
      return servers.length <= times ? Promise.reject(new RoostError(code, code)) : Promise.resolve('ok');
    });
    const failed = await outcome.then(
      () => null,
      (error: unknown) => (error as RoostError).code,
    );
    request.settle();
    expect(totalLoad(routed)).toBe(0);
    return { servers, failed };
  };

  it('tries another instance after an error that another may not make', async () => {
    const { servers, failed } = await failing('internal', 1);
    expect([new Set(servers).size, failed]).toEqual([2, null]);
  });

  it('gives up when the budget is spent', async () => {
    const { servers, failed } = await failing('internal', 9);
    expect([servers.length, failed]).toEqual([2, 'internal']);
  });

  it('has a larger budget for lost instances, and ends when none is left', async () => {
    const { servers, failed } = await failing('worker_unavailable', 9);
    expect([servers.sort(), failed]).toEqual([SERVERS, 'worker_unavailable']);
  });

  it.each(['invalid_request', 'invalid_affinity_auth', 'context_length_exceeded', 'kv_cache_gone'] as const)(
    'does not repeat what fails with %s',
    async (code) => {
      const { servers, failed } = await failing(code, 1);
      expect([servers.length, failed]).toEqual([1, code]);
    },
  );

  it('goes on where all were lost and one serves again', async () => {
    const routed = routedOver();
    const waits: AbortSignal[] = [];
    routed.fleet.servesSoon = (signal) => {
      waits.push(signal);
      routed.fleet.notServing = () => new Set(SERVERS.slice(1));
      return Promise.resolve(true);
    };
    const request = requestWith();
    const servers: string[] = [];
    const leg = await runLeg(routed, request, route, budget, ({ instance }) => {
      servers.push(instance.server);
      return servers.length <= SERVERS.length
        ? Promise.reject(new RoostError('worker_unavailable', 'lost'))
        : Promise.resolve('ok');
    });
    expect(waits).toEqual([request.signal]);
    expect([leg.attempts, servers.at(-1), totalLoad(routed)]).toEqual([4, SERVERS[0], 10]);
  });

  it('does not wait longer where the request ends meanwhile', async () => {
    const gone = new AbortController();
    const routed = routedOver(SERVERS.slice(0, 1));
    routed.fleet.servesSoon = () => {
      gone.abort(new RoostError('client_closed_request', 'gone'));
      return Promise.resolve(true);
    };
    const lost = (): Promise<never> => Promise.reject(new RoostError('worker_unavailable', 'lost'));
    const leg = runLeg(routed, requestWith(gone.signal), route, budget, lost);
    await expect(leg).rejects.toMatchObject({ code: 'client_closed_request' });
    expect(totalLoad(routed)).toBe(0);
  });

  it('says that no instance serves, at once where none was lost', async () => {
    const routed = routedOver([]);
    routed.fleet.servesSoon = () => Promise.reject(new Error('it waits'));
    const leg = runLeg(routed, requestWith(), route, budget, () => Promise.resolve());
    await expect(leg).rejects.toMatchObject({
      code: 'no_instance',
      message: 'no context instance is serving: retry later',
    });
  });

  it('avoids an instance only where there is another', async () => {
    const [only] = SERVERS;
    const chosen = await runLeg(
      routedOver(SERVERS.slice(0, 1)),
      requestWith(),
      route,
      budget,
      ({ instance }) => Promise.resolve(instance.server),
      { avoid: only },
    );
    expect(chosen.value).toBe(only);
  });

  it('does not try again once the request has ended', async () => {
    const gone = new AbortController();
    let attempts = 0;
    const leg = runLeg(routedOver(), requestWith(gone.signal), route, budget, () => {
      attempts += 1;
      gone.abort(new RoostError('client_closed_request', 'gone'));
      return Promise.reject(new RoostError('worker_unavailable', 'lost'));
    });
    await expect(leg).rejects.toMatchObject({ code: 'client_closed_request' });
    expect(attempts).toBe(1);
  });

  it('keeps the load of a success until it is released, and gives it back once', async () => {
    const routed = routedOver();
    const request = requestWith();
    const { reservation } = await runLeg(routed, request, route, budget, () => Promise.resolve());
    expect(totalLoad(routed)).toBe(10);
    reservation.release(true);
    request.settle();
    expect(totalLoad(routed)).toBe(0);
  });
});
