import type { Findings } from '../findings.js';
import { nearestName, nameDistance } from '../nearest-name.js';
import type { ClusterConfig } from '../schema/cluster-config.js';
import { BUILT_IN_ROUTERS } from '../schema/server-section.js';

import { SECTION_NAMES } from './section-names.js';

/** More letters than these would be another word. */
const TYPING_MISTAKE = 2;

/**
 * Warns of router types that look like a built-in one in a wrong spelling. Any type may be one that the edge's own program
 * registers, so that none is a problem here.
 */
export function checkRouters(config: ClusterConfig, findings: Findings): void {
  for (const name of SECTION_NAMES) {
    const type = (config[name]?.router.type ?? '').toLowerCase();
    if (type === '' || BUILT_IN_ROUTERS.includes(type)) continue;
    const nearest = nearestName(type, BUILT_IN_ROUTERS);
    if (nearest !== null && nameDistance(type, nearest) <= TYPING_MISTAKE)
      findings.warn(`${name}.router.type: ${type} is no built-in router; did you mean ${nearest}?`);
  }
}
