import type { PlacementStrategy } from '../../ports/placement.js';

/** The rank with the fewest active requests, the lowest rank number among equals. Keeps no state (reference 6.2). */
export const leastQueued: PlacementStrategy = {
  name: 'least_queued',
  needsCachedTokens: false,
  create: () => ({
    choose: ({ activeRequests }) =>
      // The least of all is below the cap whenever any rank is.
      activeRequests.indexOf(Math.min(...activeRequests)),
  }),
};
