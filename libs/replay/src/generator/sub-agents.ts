import { type Choices, lognormal, uniform, weighted } from '../random/distributions.js';
import type { Random } from '../random/random.js';
import type { TraceRow } from '../trace/trace-row.js';

import { AgentLife } from './agent-life.js';
import { SUB_AGENT } from './agent-profile.js';
import { type BlockSource, GrowingPrompt } from './growing-prompt.js';
import type { SharedBlocks } from './shared-blocks.js';

/** The agent that spawns. */
export interface Spawner {
  readonly session: string;
  readonly model: string;
  readonly harness: string;
  readonly prompt: GrowingPrompt;
  /** When the request that spawns was made and answered, in seconds. */
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** What a batch of sub-agents did. */
export interface SubAgentBatch {
  readonly rows: readonly TraceRow[];
  /** When the spawner goes on, in seconds. */
  readonly joinedAt: number;
}

/** Shares, from 0 to 1, and ranges of sub-agents (agent-traffic reference 2.2 and 3.1). */
const FANOUTS: Choices<number> = [
  [1, 0.55],
  [2, 0.24],
  [3, 0.18],
  [5, 0.03],
];
const TYPES: Choices<string> = [
  ['Explore', 0.87],
  ['general-purpose', 0.1],
  ['Plan', 0.03],
];
const FORK_SHARE = 0.15;
const OWN_MODEL_SHARE = 0.85;
const BACKGROUND_SHARE = 0.06;
const EARLY_SHARE = 1 / 3;
const JITTER_SECONDS = 2;
const SUB_MODEL = 'small';

/** Spawns batches of sub-agents of one type each: fresh ones, which begin alike, or forks of their parent. */
export class SubAgents {
  #spawned = 0;

  constructor(
    private readonly random: Random,
    private readonly source: BlockSource,
    private readonly shared: SharedBlocks,
  ) {}

  spawn(spawner: Spawner): SubAgentBatch {
    const { random } = this;
    const fanout = weighted(random, FANOUTS);
    const type = weighted(random, TYPES);
    const isFork = random() < FORK_SHARE;
    const model = isFork || random() >= OWN_MODEL_SHARE ? spawner.model : SUB_MODEL;
    const start =
      random() < EARLY_SHARE ? uniform(random, spawner.askedAt, spawner.answeredAt) : spawner.answeredAt + 0.1;
    const rows: TraceRow[] = [];
    let joinedAt = spawner.answeredAt;
    for (let index = 0; index < fanout; index += 1) {
      const beginning = isFork ? spawner.prompt.blocks : this.#freshBeginning(spawner, type, model);
      const agent = `sa${String(this.#spawned++).padStart(2, '0')}`;
      const identity = { session: spawner.session, agent, parent: 'main', model, type };
      const startsAt = start + (index === 0 ? 0 : uniform(random, 0, JITTER_SECONDS));
      const life = new AgentLife(random, SUB_AGENT, identity, new GrowingPrompt(this.source, beginning), startsAt);
      rows.push(...this.#live(life, isFork));
      joinedAt = Math.max(joinedAt, life.answeredAt);
    }
    return { rows, joinedAt: random() < BACKGROUND_SHARE ? spawner.answeredAt : joinedAt };
  }

  /** Tools and system prompt of the type are the same in all sessions; what the session adds, in all its agents of the type. */
  #freshBeginning({ session, harness }: Spawner, type: string, model: string): readonly number[] {
    const system = this.shared.behind([], `${harness}/${type}/${model}`, () => uniform(this.random, 7400, 8900));
    return this.shared.behind(system, `${harness}/${type}/${model}/${session}`, () =>
      lognormal(this.random, { p50: 1900, p90: 4000 }),
    );
  }

  #live(life: AgentLife, isFork: boolean): TraceRow[] {
    const rows: TraceRow[] = [];
    while (life.seq < life.numRequests) {
      const isFirst = life.seq === 0;
      // A fresh sub-agent's own task is some 2 % of its first prompt.
      const ownTask = Math.round(isFork ? uniform(this.random, 200, 1000) : uniform(this.random, 80, 330));
      life.prompt.grow(isFirst ? ownTask : life.appendedTokens());
      rows.push(life.ask(isFirst ? 'user' : 'tool', isFirst ? 0 : life.toolPause()));
    }
    return rows;
  }
}
