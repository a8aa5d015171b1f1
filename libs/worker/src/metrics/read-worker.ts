import type { RankState } from '@roost/engine';
import type { Reading } from '@roost/observability';

import type { WorkerParts } from '../worker-parts.js';

/** Has a worker's queue, ranks and bindings read at every scrape, and counts the blocks that its ranks let go. */
export function readWorker({ metrics, engine, queue, router, inFlight, endpoint }: WorkerParts): void {
  const { model, engine: kind, numRanks } = engine.info;
  metrics.read('info', () => [[{ model, engine: kind, endpoint }, 1]]);
  metrics.readOne('inFlight', () => inFlight.count);
  metrics.readOne('queueDepth', () => queue.depth);
  const perRank = (value: (state: RankState) => number) => (): Reading[] =>
    engine.rankStates().map((state) => [{ rank: state.rank }, value(state)]);
  metrics.read(
    'rankRequests',
    perRank(({ numActiveRequests }) => numActiveRequests),
  );
  metrics.read(
    'rankTokens',
    perRank(({ numActiveTokens }) => numActiveTokens),
  );
  metrics.read(
    'rankPending',
    perRank(({ numPendingPrefillTokens }) => numPendingPrefillTokens),
  );
  metrics.read(
    'rankBlocksTotal',
    perRank(({ kvBlocksTotal }) => kvBlocksTotal),
  );
  metrics.read(
    'rankBlocksPinned',
    perRank(({ kvBlocksPinned }) => kvBlocksPinned),
  );
  metrics.read(
    'rankBlocksCached',
    perRank(({ kvBlocksCached }) => kvBlocksCached),
  );
  metrics.read(
    'rankHeld',
    perRank(({ numHeldHandoffs }) => numHeldHandoffs),
  );
  const counts = router.bindingCounts?.bind(router);
  if (counts !== undefined) {
    metrics.readOne('rankBindings', () => counts().held);
    metrics.readOne('rankBindingsEvicted', () => counts().evicted);
  }
  const evictions = new Float64Array(numRanks);
  engine.onKvEvent(({ rank, type }) => {
    if (type === 'removed') evictions[rank] = (evictions[rank] ?? 0) + 1;
  });
  metrics.read('rankEvictions', () => [...evictions].map((count, rank) => [{ rank }, count]));
}
