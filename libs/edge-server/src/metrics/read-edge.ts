import type { Reading } from '@roost/observability';
import type { PrefixIndexStats } from '@roost/prefix-index';

import type { Fleets } from '../fleets/fleets.js';
import type { RoutedFleet } from '../fleets/routed-fleet.js';
import type { Admission } from '../request/admission.js';
import type { PromptTokenizer } from '../request/prompt-tokenizer.js';

import type { EdgeMetrics } from './edge-metrics.js';

/** Has an edge's queues, fleets, bindings and indexes read at every scrape. */
export function readEdge(
  metrics: EdgeMetrics,
  { fleets, admission, tokenizer }: { fleets: Fleets; admission: Admission; tokenizer: PromptTokenizer },
): void {
  metrics.readOne('inFlight', () => admission.inFlight);
  metrics.readOne('queued', () => admission.queued);
  metrics.readOne('tokenizerQueue', () => tokenizer.queued);
  metrics.readOne('tokenizerSkipped', () => tokenizer.skipped);
  metrics.readOne('tokenizerFailed', () => tokenizer.failed);
  readInstances(metrics, fleets);
  readBindings(metrics, fleets);
  const ofIndex = (value: (stats: PrefixIndexStats) => number) => (): Reading[] =>
    perFleet(fleets, ({ prefixIndex }) => (prefixIndex === null ? null : value(prefixIndex.stats())));
  metrics.read(
    'indexBlocks',
    ofIndex(({ blocks }) => blocks),
  );
  metrics.read(
    'indexOwners',
    ofIndex(({ owners }) => owners),
  );
  metrics.read(
    'indexBytes',
    ofIndex(({ bytes }) => bytes),
  );
  metrics.read(
    'indexEvictions',
    ofIndex(({ evictions }) => evictions),
  );
}

function readInstances(metrics: EdgeMetrics, fleets: Fleets): void {
  const perInstance = (value: (routed: RoutedFleet, server: string) => number) => (): Reading[] =>
    fleets.all.flatMap((routed) =>
      routed.fleet.instances.map(({ server }): Reading => {
        return [{ fleet: routed.fleet.role, worker: server }, value(routed, server)];
      }),
    );
  metrics.read(
    'instanceServing',
    perInstance(({ fleet }, server) => (fleet.get(server)?.serving === true ? 1 : 0)),
  );
  metrics.read(
    'instanceRequests',
    perInstance((routed, server) => routed.running(server)),
  );
  metrics.read('instanceLoad', () =>
    fleets.all.flatMap(({ fleet, router }) =>
      [...router.loads()].map(([server, load]): Reading => [{ fleet: fleet.role, worker: server }, load]),
    ),
  );
}

function readBindings(metrics: EdgeMetrics, fleets: Fleets): void {
  metrics.read('bindings', () => perFleet(fleets, ({ router }) => router.bindingCounts?.().held ?? null));
  metrics.read('bindingsEvicted', () => perFleet(fleets, ({ router }) => router.bindingCounts?.().evicted ?? null));
}

function perFleet(fleets: Fleets, value: (routed: RoutedFleet) => number | null): Reading[] {
  return fleets.all.flatMap((routed): Reading[] => {
    const read = value(routed);
    return read === null ? [] : [[{ fleet: routed.fleet.role }, read]];
  });
}
