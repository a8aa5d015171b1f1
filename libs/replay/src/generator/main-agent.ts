import { type Choices, lognormal, uniform, weighted } from '../random/distributions.js';
import type { Random } from '../random/random.js';
import type { TraceRow } from '../trace/trace-row.js';

import { AgentLife } from './agent-life.js';
import { MAIN_AGENT } from './agent-profile.js';
import { type BlockSource, GrowingPrompt } from './growing-prompt.js';
import type { SharedBlocks } from './shared-blocks.js';
import { SubAgents } from './sub-agents.js';

/** Shares, from 0 to 1, ranges and distributions of main agents (agent-traffic reference 2.1 and 3.1). */
const HARNESSES: Choices<{ readonly name: string; readonly tokens: number }> = [
  [{ name: 'v1', tokens: 14_900 }, 0.55],
  [{ name: 'v2', tokens: 16_500 }, 0.25],
  [{ name: 'v3', tokens: 10_200 }, 0.2],
];
const MODEL = 'large';
const PROJECTS = 40;
const PROJECT_TOKENS = [500, 5000] as const;
const FIRST_TURN = { p50: 1100, p90: 6000 };
/** Share of sessions that go on with an earlier one's history, which nobody has in a cache any more, and its length. */
const RESUMED_SHARE = 0.25;
const HISTORY = { p50: 60_000, p90: 130_000 };
/** A user's turn, in requests; and how long until the next one, in seconds. */
const STEPS = { p50: 2, p90: 17 };
const MOST_STEPS = 100;
const USER_PAUSE = { p50: 122, p90: 1512 };
const LONGEST_PAUSE = 7200;
/** Most tokens of a prompt before it is compacted, by the size of the model's window. */
const CONTEXTS: Choices<readonly [min: number, max: number]> = [
  [[160_000, 200_000], 0.7],
  [[400_000, 600_000], 0.3],
];
const SUMMARY_TOKENS = [5000, 15_000] as const;
/** Share of sessions with sub-agents, and their mean number of batches. */
const SUBAGENT_SHARE = 0.3;
const MEAN_BATCHES = 2.2;

/** Makes sessions: a main agent each, and the sub-agents that it spawns. */
export class MainAgents {
  constructor(
    private readonly random: Random,
    private readonly source: BlockSource,
    private readonly shared: SharedBlocks,
  ) {}

  /** The rows of a session, each agent's in order. */
  session(session: string): TraceRow[] {
    const { random } = this;
    const harness = weighted(random, HARNESSES);
    const beginning = this.#beginning(harness);
    const identity = { session, agent: 'main', parent: null, model: MODEL, type: null };
    const life = new AgentLife(random, MAIN_AGENT, identity, new GrowingPrompt(this.source, beginning), 0);
    const window = uniform(random, ...weighted(random, CONTEXTS));
    const subAgents = new SubAgents(random, this.source, this.shared);
    const spawning = this.#spawningRequests(life.numRequests);
    const rows: TraceRow[] = [];
    let stepsLeft = 0;
    let joinedAt = 0;
    while (life.seq < life.numRequests) {
      const isUserTurn = stepsLeft === 0;
      if (isUserTurn) stepsLeft = this.#steps();
      stepsLeft -= 1;
      this.#growPrompt(life, beginning, window);
      const waits = Math.max(0, joinedAt - life.answeredAt);
      const pause = life.seq === 0 ? 0 : waits + (isUserTurn ? this.#userPause() : life.toolPause());
      const row = life.ask(isUserTurn ? 'user' : 'tool', pause);
      rows.push(row);
      if (!spawning.has(row.seq)) continue;
      const { prompt, answeredAt } = life;
      const spawner = { session, model: MODEL, harness: harness.name, prompt, askedAt: row.t, answeredAt };
      const batch = subAgents.spawn(spawner);
      rows.push(...batch.rows);
      joinedAt = batch.joinedAt;
    }
    return rows;
  }

  #beginning({ name, tokens }: { readonly name: string; readonly tokens: number }): readonly number[] {
    const project = `project-${String(Math.floor(this.random() * PROJECTS))}`;
    const system = this.shared.behind([], name, () => tokens);
    return this.shared.behind(system, `${name}/${project}`, () => uniform(this.random, ...PROJECT_TOKENS));
  }

  #growPrompt(life: AgentLife, beginning: readonly number[], window: number): void {
    const { prompt } = life;
    if (life.seq === 0) {
      const history = this.random() < RESUMED_SHARE ? lognormal(this.random, HISTORY) : 0;
      prompt.grow(Math.round(Math.min(history, window / 2) + lognormal(this.random, FIRST_TURN)));
      return;
    }
    const appended = life.appendedTokens();
    if (prompt.tokens + appended <= window) {
      prompt.grow(appended);
      return;
    }
    prompt.restart(beginning);
    prompt.grow(Math.round(uniform(this.random, ...SUMMARY_TOKENS)));
  }

  #steps(): number {
    return Math.min(Math.max(1, Math.round(lognormal(this.random, STEPS))), MOST_STEPS);
  }

  #userPause(): number {
    return Math.min(lognormal(this.random, USER_PAUSE), LONGEST_PAUSE);
  }

  /** By which of its requests an agent spawns sub-agents. */
  #spawningRequests(numRequests: number): ReadonlySet<number> {
    const { random } = this;
    const chosen = new Set<number>();
    if (random() >= SUBAGENT_SHARE) return chosen;
    do chosen.add(Math.floor(random() * numRequests));
    while (random() < 1 - 1 / MEAN_BATCHES);
    return chosen;
  }
}
