/**
 * The bindings of one fleet: routing key -> server, ordered by use. Keys match exactly, never by prefix. A full store
 * drops its least recently used binding; it refuses nothing.
 */
export interface BindingStore {
  /** Live bindings held. */
  readonly size: number;
  /** Live bindings that were dropped for want of room, since the start. */
  readonly evictions: number;
  /**
   * The server that the key is bound to, which counts as a use; null, which does not, when the key is unbound, its
   * binding idled out, its server was dropped, or its server is in `exclude`.
   */
  home(key: string, exclude?: ReadonlySet<string>): string | null;
  /** Milliseconds since the key's binding was used last; 0 when it is unbound, or where no clock was given. No use by itself. */
  idleMs(key: string): number;
  /**
   * Binds the key to the server as the most recently used binding. Returns the server that the key was bound to until
   * now, also one that was dropped if that is still remembered, else null.
   */
  bind(key: string, server: string): string | null;
  /** Forgets the key; no effect when it is unbound. */
  unbind(key: string): void;
  /** Ends every binding to the server, in time independent of their number. A later `bind` to it starts afresh. */
  dropServer(server: string): void;
  /** The live bindings as key and server, least recently used first; not to be used across changes. */
  entries(): IterableIterator<readonly [key: string, server: string]>;
}
