import type { Findings } from '../findings.js';
import type { ClusterConfig } from '../schema/cluster-config.js';

/** Skipping the context fleet needs a generation router that knows what its instances hold (reference 3.2). */
export function checkConditional(config: ClusterConfig, findings: Findings): void {
  const name = 'conditional_disagg_config';
  if (config[name] === null) return;
  if (config.generation_servers?.router.type.toLowerCase() !== 'kv_cache_aware')
    findings.problem(
      [name],
      'conditional disaggregation requires a KV-cache-aware generation router: set generation_servers.router.type to kv_cache_aware',
    );
  if (config.schedule_style === 'generation_first')
    findings.warn(`${name} has no effect with schedule_style: generation_first, which always uses both fleets`);
}
