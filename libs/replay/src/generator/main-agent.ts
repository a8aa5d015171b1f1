import { type Choices, lognormal, uniform, weighted } from '../random/distributions.js';
import { namedRandom } from '../random/random.js';

import { AgentLife } from './agent-life.js';
import { MAIN_AGENT } from './agent-profile.js';
import { Prompt } from './prompt.js';
import type { Asked, SessionLines } from './session-lines.js';
import type { SubAgents } from './sub-agents.js';

/** Shares, from 0 to 1, ranges and distributions of main agents (agent-traffic reference 2.1 and 3.1). */
const VERSIONS: Choices<{ readonly name: string; readonly tokens: number }> = [
  [{ name: 'v1', tokens: 14_900 }, 0.55],
  [{ name: 'v2', tokens: 16_500 }, 0.25],
  [{ name: 'v3', tokens: 10_200 }, 0.2],
];
const MODEL = 'large';
/** Projects of a tenant, and what each adds to its sessions' prompts. */
const PROJECTS = 8;
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
  [[160_000, 200_000], 0.65],
  [[400_000, 600_000], 0.35],
];
const SUMMARY_TOKENS = [5000, 15_000] as const;
const SUMMARY_ANSWER = [1500, 5000] as const;
const SUMMARY_INSTRUCTION = 400;
/** Share of user turns that find other tokens at the beginning of the system prompt, and how many. */
const DRIFT_SHARE = 0.015;
const DRIFTED_TOKENS = 64;
/** Mean number of batches of a session with sub-agents. */
const MEAN_BATCHES = 2.2;
/** Seconds from the last sub-agent's answer to the agent that waited for it. */
const JOIN_PAUSE = { p50: 0.5, p90: 2 };

/** The main agent of a session, and with it all that it spawns. */
export class MainAgent {
  readonly #life: AgentLife;
  readonly #window: number;
  readonly #spawning: ReadonlySet<number>;
  #beginning: Prompt;
  #numBreaks = 0;
  #stepsLeft = 0;
  #joining: readonly Asked[] = [];

  constructor(
    private readonly session: SessionLines,
    private readonly subAgents: SubAgents,
  ) {
    const { random, root } = session;
    this.#beginning = this.#chooseBeginning();
    const identity = { agent: root, parent: null, type: null, kind: 'main', depth: 0, model: MODEL } as const;
    this.#life = new AgentLife(session, MAIN_AGENT, identity, root, this.#beginning);
    this.#window = uniform(random, ...weighted(random, CONTEXTS));
    this.#spawning = this.#chooseSpawning();
  }

  /** Lives the session from beginning to end. */
  live(): void {
    const { random } = this.session;
    const delay = this.subAgents.comeFirst(this.#life) ? uniform(random, 1, 5) : 0;
    while (this.#life.made < this.#life.numRequests) {
      const { made } = this.#life;
      const asked = made === 0 ? this.#begin(delay) : this.#goOn();
      this.#joining = this.#spawning.has(made) ? this.subAgents.spawn(this.#life, asked) : [];
    }
  }

  #begin(delay: number): Asked {
    const { random, root } = this.session;
    this.#stepsLeft = this.#steps() - 1;
    let prompt = this.#beginning.followedBy(`${root}.q`, Math.max(1, Math.round(lognormal(random, FIRST_TURN))));
    if (random() < RESUMED_SHARE)
      prompt = prompt.followedBy(`${root}.r`, Math.round(Math.min(lognormal(random, HISTORY), this.#window / 2)));
    this.#life.prompt = prompt;
    return this.#life.ask('user', [], delay);
  }

  #goOn(): Asked {
    const { random, options } = this.session;
    const isJoin = this.#joining.length > 0;
    const isUserTurn = this.#stepsLeft === 0 && !isJoin;
    if (isUserTurn) this.#stepsLeft = this.#steps();
    this.#stepsLeft = Math.max(0, this.#stepsLeft - 1);
    if (isUserTurn && random() < DRIFT_SHARE) this.#drift();
    const trigger = isUserTurn ? 'user' : 'tool';
    const delay = this.#pause(isJoin, isUserTurn) * options.gapScale;
    const after = [...this.#life.latest, ...this.#joining];
    const summary = this.#growPrompt(trigger, after, delay);
    return summary === null ? this.#life.ask(trigger, after, delay) : this.#life.ask(trigger, [summary], 0);
  }

  /** Seconds, where pauses are not scaled. */
  #pause(isJoin: boolean, isUserTurn: boolean): number {
    const { random } = this.session;
    if (isJoin) return lognormal(random, JOIN_PAUSE);
    return isUserTurn ? Math.min(lognormal(random, USER_PAUSE), LONGEST_PAUSE) : this.#life.toolPause();
  }

  /** Tools and system prompt are the same in all sessions of a tenant, and what a project adds, in all of the project. */
  #chooseBeginning(): Prompt {
    const { random, tenant, dialect, options } = this.session;
    const { name, tokens } = weighted(random, VERSIONS);
    const project = `${tenant}/p${String(Math.floor(random() * PROJECTS))}`;
    const projectTokens = Math.round(uniform(namedRandom(options.seed, project), ...PROJECT_TOKENS));
    return new Prompt([
      { ns: `${tenant}/${dialect}-${name}/main`, len: tokens },
      { ns: project, len: projectTokens },
    ]);
  }

  /** Adds to the prompt; one that would be too long begins anew, after a request that sums it up, which is returned. */
  #growPrompt(trigger: 'user' | 'tool', after: readonly Asked[], delay: number): Asked | null {
    const { random, root } = this.session;
    const { prompt } = this.#life;
    const appended = this.#life.appendedTokens();
    if (prompt.tokens + appended <= this.#window) {
      this.#life.prompt = prompt.grownBy(`${root}.h${String(this.#numBreaks)}`, appended);
      return null;
    }
    this.#numBreaks += 1;
    const number = String(this.#numBreaks);
    const asking = prompt.followedBy(`${root}.c${number}`, SUMMARY_INSTRUCTION);
    const answer = uniform(random, ...SUMMARY_ANSWER);
    this.#life.prompt = this.#beginning.followedBy(
      `${root}.h${number}`,
      Math.round(uniform(random, ...SUMMARY_TOKENS)),
    );
    return this.#life.askForSummary(asking, answer, { trigger, after, delay });
  }

  #drift(): void {
    const drift = `${this.session.root}.d${String(this.#life.made)}`;
    this.#beginning = this.#beginning.drifted(drift, DRIFTED_TOKENS);
    this.#life.prompt = this.#life.prompt.drifted(drift, DRIFTED_TOKENS);
  }

  #steps(): number {
    return Math.min(Math.max(1, Math.round(lognormal(this.session.random, STEPS))), MOST_STEPS);
  }

  /** By which of its requests the agent spawns sub-agents. */
  #chooseSpawning(): ReadonlySet<number> {
    const { random, options } = this.session;
    const chosen = new Set<number>();
    if (random() >= options.subagentShare) return chosen;
    do chosen.add(Math.floor(random() * Math.max(1, this.#life.numRequests - 1)));
    while (random() < 1 - 1 / MEAN_BATCHES);
    return chosen;
  }
}
