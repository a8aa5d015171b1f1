import { type Server } from '../pool/server-pool.js';

import { type BlockChain } from './block-chain.js';
import { ShardedMap } from './sharded-map.js';

/** A conversation known by its content only: its key, its home, and the blocks of its latest request. */
export interface ImplicitSession {
  readonly key: string;
  readonly server: Server;
  readonly chain: BlockChain;
}

/** The sessions through one trie node; most nodes belong to one session, which then stands for the collection. */
type Node = ImplicitSession | Map<Server, Set<ImplicitSession>>;

/** The deepest match: a session, and how many leading blocks it shares. */
export interface PrefixMatch {
  readonly session: ImplicitSession;
  readonly blocks: number;
}

/**
 * A prefix trie of sessions over their block chains. A chained hash names a node by its whole path, so the trie is one
 * flat map and needs no child links.
 */
export class PrefixIndex {
  readonly #nodes = new ShardedMap<number, Node>((hash) => hash);

  /** Nodes of the trie; none is left of sessions that were taken out. */
  get nodes(): number {
    return this.#nodes.size;
  }

  /** Adds a session that is not in the index. */
  add(session: ImplicitSession): void {
    for (const hash of session.chain) {
      const node = this.#nodes.get(hash);
      if (node === undefined) this.#nodes.set(hash, session);
      else if (node instanceof Map) join(node, session);
      else {
        const shared = new Map([[node.server, new Set([node])]]);
        join(shared, session);
        this.#nodes.set(hash, shared);
      }
    }
  }

  /** Takes out a session that is in the index. */
  remove(session: ImplicitSession): void {
    for (const hash of session.chain) {
      const node = this.#nodes.get(hash);
      if (node instanceof Map) {
        leave(node, session);
        if (node.size === 0) this.#nodes.delete(hash);
      } else if (node === session) this.#nodes.delete(hash);
    }
  }

  /** A session on a usable server that shares the most leading blocks with the chain; null when none shares one. */
  longestMatch(chain: BlockChain, usable: (server: Server) => boolean): PrefixMatch | null {
    let session: ImplicitSession | null = null;
    let blocks = 0;
    for (const hash of chain) {
      const node = this.#nodes.get(hash);
      const found = node === undefined ? null : anyUsable(node, usable);
      if (found === null) break;
      session = found;
      blocks++;
    }
    return session === null ? null : { session, blocks };
  }
}

function join(node: Map<Server, Set<ImplicitSession>>, session: ImplicitSession): void {
  const sessions = node.get(session.server);
  if (sessions === undefined) node.set(session.server, new Set([session]));
  else sessions.add(session);
}

function leave(node: Map<Server, Set<ImplicitSession>>, session: ImplicitSession): void {
  const sessions = node.get(session.server);
  sessions?.delete(session);
  if (sessions?.size === 0) node.delete(session.server);
}

function anyUsable(node: Node, usable: (server: Server) => boolean): ImplicitSession | null {
  if (!(node instanceof Map)) return usable(node.server) ? node : null;
  for (const [server, sessions] of node) {
    if (!usable(server)) continue;
    for (const session of sessions) return session;
  }
  return null;
}
