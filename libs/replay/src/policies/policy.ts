import type { AttentionDpOptions, BalanceOptions } from '@roost/adp-router';

/** How requests find their instance and their rank: a configuration of production's routers, by the same names. */
export interface Policy {
  readonly name: string;
  readonly context: FleetPolicy;
  readonly generation: FleetPolicy;
}

/** The same for one fleet. */
export interface FleetPolicy {
  /** Type and arguments of the fleet's router. */
  readonly router: { readonly type: string; readonly args: Readonly<Record<string, unknown>> };
  /** What a sub-agent is placed by: its own conversation, its parent session, or the session at the top of its family. */
  readonly subagentKey: SubagentKey;
  /** `attention_dp_config` of every instance. */
  readonly attentionDp: AttentionDpOptions & BalanceOptions;
}

/** Whose session places a sub-agent. */
export type SubagentKey = 'own' | 'parent' | 'root';
