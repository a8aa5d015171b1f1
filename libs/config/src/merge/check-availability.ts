import type { Findings, KeyPath } from '../findings.js';
import type { ClusterConfig } from '../schema/cluster-config.js';

/** Refuses what upstream offers and this version does not: starting without it would silently serve in another way. */
export function checkAvailability(config: ClusterConfig, findings: Findings): void {
  const refuse = (path: KeyPath, what: string): void =>
    findings.problem(path, `${what} is not available in this version of Roost`);
  for (const name of ['disagg_cluster', 'disagg_coordinator_url'] as const)
    if (config[name] !== null) refuse([name], name);
  if (config.num_workers > 1) refuse(['num_workers'], 'num_workers above 1');
}
