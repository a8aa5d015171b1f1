import type { TraceAgent, TraceSession } from '../trace/trace.js';

import { BlockOracle } from './block-oracle.js';
import { BranchOracle } from './branch-oracle.js';
import type { PrefixOracle } from './prefix-oracle.js';
import { type Clock, type PerOracle, perOracle, type Scope } from './reuse.js';

/** A request, as oracles know it. */
export interface OracleRequest {
  readonly session: TraceSession;
  readonly agent: TraceAgent;
  /** All blocks of its prompt. */
  readonly blocks: Uint32Array;
  readonly inputTokens: number;
}

/** The oracles of both clocks and all scopes, each with all horizons. */
export class Oracles {
  readonly #known: Readonly<Record<Clock, KnownRequests>>;

  /**
   * @param shape block numbers are below `numBlocks`
   * @param horizons how long after its last use a block may be reused, in milliseconds; Infinity: for ever
   */
  constructor(
    private readonly shape: { readonly numBlocks: number; readonly tokensPerBlock: number },
    horizons: readonly number[],
  ) {
    const known = (): KnownRequests => new KnownRequests(shape.numBlocks, horizons);
    this.#known = { causal: known(), instant: known() };
  }

  /**
   * How many leading tokens of a request that arrives now could be reused: whole blocks, and never the last token, which
   * every engine has to compute. From now on the request has arrived.
   */
  arrive(request: OracleRequest, now: number): PerOracle<number> {
    const { tokensPerBlock } = this.shape;
    const most = Math.floor((request.inputTokens - 1) / tokensPerBlock);
    const reusable = perOracle((clock, scope) =>
      this.#known[clock]
        .oracleOf(scope, request)
        .sharedBlocks(request.blocks, now)
        .map((count) => Math.min(count, most) * tokensPerBlock),
    );
    this.#known.instant.remember(request, now);
    return reusable;
  }

  /** From now on the prefill of a request is finished. */
  finish(request: OracleRequest, now: number): void {
    this.#known.causal.remember(request, now);
  }
}

/** The oracles of one clock. */
class KnownRequests {
  readonly #all: PrefixOracle;
  readonly #trees = new WeakMap<TraceSession, PrefixOracle>();
  readonly #chains = new WeakMap<TraceAgent, PrefixOracle>();

  constructor(
    numBlocks: number,
    private readonly horizons: readonly number[],
  ) {
    this.#all = new BlockOracle(numBlocks, horizons);
  }

  oracleOf(scope: Scope, { session, agent }: OracleRequest): PrefixOracle {
    if (scope === 'global') return this.#all;
    return scope === 'tree' ? this.#of(this.#trees, session) : this.#of(this.#chains, agent);
  }

  remember(request: OracleRequest, now: number): void {
    this.#all.remember(request.blocks, now);
    for (const scope of ['tree', 'chain'] as const) this.oracleOf(scope, request).remember(request.blocks, now);
  }

  #of<Owner extends object>(oracles: WeakMap<Owner, PrefixOracle>, owner: Owner): PrefixOracle {
    const oracle = oracles.get(owner) ?? new BranchOracle(this.horizons);
    oracles.set(owner, oracle);
    return oracle;
  }
}
