import type { AttentionDpOptions, BalanceOptions } from '@roost/adp-router';

/** How requests find their instance and their rank: a configuration of production's routers, by the same names. */
export interface Policy {
  readonly name: string;
  readonly context: FleetPolicy;
  readonly generation: FleetPolicy;
  /**
   * The longest that a request is held back before its context instance while the instance computes what they share, in
   * milliseconds; absent: none is. A what-if of replays: production holds nobody.
   */
  readonly holdMs?: number;
}

/** The same for one fleet. */
export interface FleetPolicy {
  /** Type and arguments of the fleet's router. */
  readonly router: { readonly type: string; readonly args: Readonly<Record<string, unknown>> };
  /** What a sub-agent is placed by. */
  readonly subagentKey: SubagentKey;
  /** `attention_dp_config` of every instance. */
  readonly attentionDp: AttentionDpOptions & BalanceOptions;
}

/**
 * What places a sub-agent: its `own` conversation; its `parent` session; the session at the `root` of its family; or the
 * `sibling_group` of all sub-agents of one type in its family, which production, where requests do not tell types, has not.
 */
export type SubagentKey = 'own' | 'parent' | 'root' | 'sibling_group';
