import type { Random } from '../random/random.js';
import type { Fault } from '../trace/generated/generated-line.js';

/** How a sub-agent names itself and its parent. */
export interface Claim {
  readonly agent: string;
  readonly parent: string | null;
  readonly fault?: Fault;
}

/** Bytes of an id that is too long for some. */
const LONG_ID = 300;

/** Faults of one batch of sub-agents; a parent that comes after its child is made elsewhere. */
const FAULTS_OF_BATCHES = [
  'missing_parent',
  'unknown_parent',
  'duplicate_header',
  'long_id',
  'spoofed_parent',
  'cycle',
] as const satisfies readonly Fault[];

/**
 * What the sub-agents of a batch say of themselves.
 *
 * @param share of those that say something wrong, from 0 to 1
 * @param stranger a main agent of another tenant; null where none is known
 */
export function claimsOf(
  random: Random,
  share: number,
  { agents, parent }: { readonly agents: readonly string[]; readonly parent: string },
  stranger: string | null,
): readonly Claim[] {
  const claims: Claim[] = [];
  for (const [index, agent] of agents.entries()) {
    if (claims.length > index) continue;
    if (random() >= share) {
      claims.push({ agent, parent });
      continue;
    }
    const fault = FAULTS_OF_BATCHES[Math.floor(random() * FAULTS_OF_BATCHES.length)] ?? 'missing_parent';
    if (fault === 'cycle') claims.push(...cycleOf(agent, agents[index + 1]));
    else claims.push(faultyClaim(fault, agent, parent, stranger));
  }
  return claims;
}

function faultyClaim(
  fault: Exclude<(typeof FAULTS_OF_BATCHES)[number], 'cycle'>,
  agent: string,
  parent: string,
  stranger: string | null,
): Claim {
  if (fault === 'missing_parent') return { agent, parent: null, fault };
  if (fault === 'duplicate_header') return { agent, parent, fault };
  if (fault === 'long_id') return { agent: `${agent}-`.padEnd(LONG_ID, '0'), parent, fault };
  if (fault === 'spoofed_parent' && stranger !== null) return { agent, parent: stranger, fault };
  return { agent, parent: `${parent}.gone`, fault: 'unknown_parent' };
}

/** Two siblings that name each other; without one, an agent that names itself. */
function cycleOf(agent: string, next: string | undefined): readonly Claim[] {
  if (next === undefined) return [{ agent, parent: agent, fault: 'cycle' }];
  return [
    { agent, parent: next, fault: 'cycle' },
    { agent: next, parent: agent, fault: 'cycle' },
  ];
}
