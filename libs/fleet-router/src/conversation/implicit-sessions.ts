import { type Server } from '../pool/server-pool.js';

import { type BlockChain } from './block-chain.js';
import { type ImplicitSession, PrefixIndex } from './prefix-index.js';

/**
 * The conversations without an id, found by content. Their number is bounded by the binding store that also holds
 * their keys; `blocks` says how much memory they take.
 */
export class ImplicitSessions {
  readonly #sessions = new Map<string, ImplicitSession>();
  readonly #index = new PrefixIndex();
  #blocks = 0;

  /** `matchThreshold`: least share, from 0 to 1, of a request's blocks that a session must share. */
  constructor(private readonly matchThreshold: number) {}

  /** Blocks held, over all sessions. */
  get blocks(): number {
    return this.#blocks;
  }

  /** The keys of all sessions, the one recorded longest ago first; sessions may be forgotten on the way. */
  keys(): IterableIterator<string> {
    return this.#sessions.keys();
  }

  /** The session on a usable server that the content continues, or null; content of no block continues none. */
  match(chain: BlockChain, usable: (server: Server) => boolean): ImplicitSession | null {
    const found = this.#index.longestMatch(chain, usable);
    if (found === null) return null;
    const share = found.blocks / chain.length;
    return share >= this.matchThreshold ? found.session : null;
  }

  /** Records the blocks of a session's latest request in place of its earlier ones. */
  record(key: string, server: Server, chain: BlockChain): void {
    this.forget(key);
    const session = { key, server, chain };
    this.#sessions.set(key, session);
    this.#index.add(session);
    this.#blocks += chain.length;
  }

  /** Forgets a session; no effect for a key that is none. */
  forget(key: string): void {
    const session = this.#sessions.get(key);
    if (session === undefined) return;
    this.#sessions.delete(key);
    this.#index.remove(session);
    this.#blocks -= session.chain.length;
  }
}
