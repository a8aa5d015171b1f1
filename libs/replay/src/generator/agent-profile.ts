import type { Lognormal } from '../random/distributions.js';

/** How an agent goes on from request to request. */
export interface AgentProfile {
  readonly requests: Lognormal;
  readonly mostRequests: number;
  /** Tokens by which a prompt grows from request to request. */
  readonly appended: Lognormal;
  readonly answer: Lognormal;
  /** Seconds that a request takes. */
  readonly request: Lognormal;
  /** Seconds that a tool takes. */
  readonly tool: Lognormal;
}

/** Main agents (agent-traffic reference 2.1). */
export const MAIN_AGENT: AgentProfile = {
  requests: { p50: 45, p90: 155 },
  mostRequests: 514,
  appended: { p50: 700, p90: 4100 },
  answer: { p50: 216, p90: 900 },
  request: { p50: 6.1, p90: 18.4 },
  tool: { p50: 9, p90: 74 },
};

/** Sub-agents (agent-traffic reference 2.2). */
export const SUB_AGENT: AgentProfile = {
  requests: { p50: 11, p90: 17 },
  mostRequests: 24,
  appended: { p50: 2600, p90: 13_000 },
  answer: { p50: 300, p90: 900 },
  request: { p50: 4, p90: 9 },
  tool: { p50: 4, p90: 15 },
};
