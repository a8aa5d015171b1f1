import { type Choices, lognormal, uniform, weighted } from '../random/distributions.js';
import { namedRandom } from '../random/random.js';

import { AgentLife } from './agent-life.js';
import { SUB_AGENT } from './agent-profile.js';
import { type Claim, claimsOf } from './faults.js';
import { Prompt } from './prompt.js';
import type { Asked, SessionLines } from './session-lines.js';

/** Shares, from 0 to 1, and ranges of sub-agents (agent-traffic reference 2.2 and 3.1). */
const FANOUTS: Choices<number> = [
  [1, 0.55],
  [2, 0.24],
  [3, 0.18],
  [0, 0.03],
];
const LARGE_FANOUT = [4, 20] as const;
const TYPES: Choices<string> = [
  ['Explore', 0.87],
  ['general-purpose', 0.1],
  ['Plan', 0.03],
];
const OWN_MODEL_SHARE = 0.85;
const BACKGROUND_SHARE = 0.06;
const EARLY_SHARE = 1 / 3;
const NESTED_SHARE = 0.05;
const DEEPEST = 3;
const JITTER_SECONDS = 2;
/** Seconds from an answer to what it spawns. */
const SPAWN_PAUSE = 0.1;
/** Whoever is spawned by a streaming answer starts before its end if a token takes at least so many seconds. */
const FASTEST_TOKEN = 0.01;
const SUB_MODEL = 'small';
const SYSTEM_TOKENS = [7400, 8900] as const;
const SESSION_TOKENS = { p50: 1900, p90: 4000 };
const OWN_TASK = [80, 330] as const;
const FORK_TASK = [200, 1000] as const;

/** What all sub-agents of a batch have in common. */
interface Batch {
  readonly spawner: AgentLife;
  readonly type: string;
  readonly isFork: boolean;
  readonly model: string;
  readonly after: readonly Asked[];
  readonly isEarly: boolean;
  /** Seconds that it takes the first of them to start. */
  readonly delay: number;
}

/** Spawns batches of sub-agents of one type each: fresh ones, which begin alike, or forks of their parent. */
export class SubAgents {
  /** @param stranger a main agent of another tenant; null where none is known */
  constructor(
    private readonly session: SessionLines,
    private readonly stranger: string | null,
  ) {}

  /**
   * An agent's request spawns a batch, all of which is made at once.
   *
   * @returns what the agent has to wait for: their last answers; nothing where they run in the background
   */
  spawn(spawner: AgentLife, asked: Asked): readonly Asked[] {
    const { random, options } = this.session;
    const numAgents = weighted(random, FANOUTS) || Math.floor(logUniform(random(), ...LARGE_FANOUT));
    const type = weighted(random, TYPES);
    const isFork = random() < options.forkShare && spawner.identity.kind !== 'fork';
    const model = isFork || random() >= OWN_MODEL_SHARE ? spawner.identity.model : SUB_MODEL;
    const isEarly = random() < EARLY_SHARE;
    const delay = isEarly ? random() * asked.answerTokens * FASTEST_TOKEN : SPAWN_PAUSE;
    const last = this.#live({ spawner, type, isFork, model, after: [asked], isEarly, delay }, numAgents);
    return random() < BACKGROUND_SHARE ? [] : last;
  }

  /**
   * Where faults are asked for, now and then a sub-agent starts before its parent has asked for anything.
   *
   * @returns whether one did
   */
  comeFirst(parent: AgentLife): boolean {
    const { random, options } = this.session;
    if (random() >= options.faults) return false;
    const type = weighted(random, TYPES);
    const batch = { spawner: parent, type, isFork: false, model: SUB_MODEL, after: [], isEarly: false, delay: 0 };
    const agent = this.session.nextAgent();
    this.#liveOne(batch, agent, { agent, parent: parent.identity.agent, fault: 'parent_after_child' }, 0);
    return true;
  }

  #live(batch: Batch, numAgents: number): readonly Asked[] {
    const { random, options } = this.session;
    const agents = Array.from({ length: numAgents }, () => this.session.nextAgent());
    const parent = batch.spawner.identity.agent;
    const claims = claimsOf(random, options.faults, { agents, parent }, this.stranger);
    return agents.flatMap((name, index) => {
      const jitter = index === 0 ? 0 : uniform(random, 0, JITTER_SECONDS) * options.gapScale;
      return this.#liveOne(batch, name, claims[index] ?? { agent: name, parent }, jitter);
    });
  }

  #liveOne(batch: Batch, name: string, claim: Claim, jitter: number): readonly Asked[] {
    const { random } = this.session;
    const { spawner, type, isFork, model } = batch;
    const kind = isFork ? 'fork' : 'spawn';
    const identity = { ...claim, type, kind, depth: spawner.identity.depth + 1, model } as const;
    const beginning = isFork ? spawner.prompt : this.#freshBeginning(type, model);
    // A fresh sub-agent's own task is some 2 % of its first prompt.
    const task = Math.round(isFork ? uniform(random, ...FORK_TASK) : uniform(random, ...OWN_TASK));
    const life = new AgentLife(this.session, SUB_AGENT, identity, name, beginning.followedBy(`${name}.q`, task));
    const nesting = this.#nestingRequest(life);
    let joining: readonly Asked[] = [];
    while (life.made < life.numRequests) {
      const { made } = life;
      const asked = made === 0 ? begin(life, batch, jitter) : goOn(life, joining);
      joining = made === nesting ? this.spawn(life, asked) : [];
    }
    return life.latest;
  }

  /** By which request a sub-agent spawns others; -1: by none. */
  #nestingRequest({ identity, numRequests }: AgentLife): number {
    const { random } = this.session;
    if (random() >= NESTED_SHARE || identity.depth >= DEEPEST) return -1;
    return Math.floor(random() * Math.max(1, numRequests - 1));
  }

  /** Tools and system prompt of a type are the same in all sessions of a tenant; what a session adds, in all its agents of the type. */
  #freshBeginning(type: string, model: string): Prompt {
    const { options, tenant, root, dialect } = this.session;
    const [system, own] = [`${tenant}/${dialect}/${type}`, `${root}/${type}`];
    return new Prompt([
      { ns: system, len: Math.round(uniform(namedRandom(options.seed, `${system}/${model}`), ...SYSTEM_TOKENS)) },
      { ns: own, len: Math.round(lognormal(namedRandom(options.seed, own), SESSION_TOKENS)) },
    ]);
  }
}

function begin(life: AgentLife, { isEarly, after, delay }: Batch, jitter: number): Asked {
  return life.ask(isEarly ? 'stream' : 'spawn', after, delay + jitter);
}

function goOn(life: AgentLife, joining: readonly Asked[]): Asked {
  life.prompt = life.prompt.grownBy(`${life.name}.h`, life.appendedTokens());
  return life.ask('tool', [...life.latest, ...joining], life.toolPause() * life.session.options.gapScale);
}

function logUniform(share: number, min: number, max: number): number {
  return min * ((max + 1) / min) ** share;
}
