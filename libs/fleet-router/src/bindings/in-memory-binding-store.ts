import { KeyIndex, NO_SLOT, ownCopy, SlotLinks, SlotList } from '@roost/slot-table';

import { type BindingStore } from '../ports/binding-store.js';

/** Limits and collaborators of an in-memory store. */
export interface InMemoryBindingStoreOptions {
  /** Most bindings held; an integer of at least 1. */
  readonly maxSessions: number;
  /** Idle time in milliseconds after which a binding ends, Infinity for never, and the clock; absent: times are not kept. */
  readonly idle?: { readonly ttlMs: number; readonly now: () => number };
  /** Told each key whose binding was evicted, idled out, was unbound or was to a dropped server; maybe some time later. */
  readonly onDropped?: (key: string) => void;
}

/** One life of a server as the target of bindings, with the slots bound to it. */
class Home {
  live = true;
  readonly slots: SlotList;

  constructor(
    readonly server: string,
    links: SlotLinks,
  ) {
    this.slots = new SlotList(links);
  }
}

/** How many idle bindings one operation clears away at most, so that none takes long after a quiet night. */
const SWEEP = 2;

/**
 * Bindings in this process's memory (reference 2.4, 2.5). Each operation takes constant time: bindings to a dropped
 * server are dead at once, and are cleared away one by one as their room is needed.
 */
export class InMemoryBindingStore implements BindingStore {
  readonly #maxSessions: number;
  readonly #idle: InMemoryBindingStoreOptions['idle'];
  readonly #onDropped: InMemoryBindingStoreOptions['onDropped'];
  readonly #index = new KeyIndex();
  readonly #byUse = new SlotLinks();
  readonly #byHome = new SlotLinks();
  readonly #used = new SlotList(this.#byUse);
  readonly #vacant = new Home('', this.#byHome);
  readonly #homes = new Map<string, Home>();
  /** Dropped homes that slots are still bound to. */
  readonly #dead = new Set<Home>();
  readonly #homeOf: Home[] = [];
  #usedAt = new Float64Array(0);
  #deadSlots = 0;
  #evictions = 0;

  /** Throws a RangeError when a limit is not positive. */
  constructor(options: InMemoryBindingStoreOptions) {
    if (!Number.isSafeInteger(options.maxSessions) || options.maxSessions < 1)
      throw new RangeError('maxSessions must be an integer of at least 1');
    if (options.idle !== undefined && !(options.idle.ttlMs > 0))
      throw new RangeError('idle.ttlMs must be a positive number');
    this.#maxSessions = options.maxSessions;
    this.#idle = options.idle;
    this.#onDropped = options.onDropped;
  }

  get size(): number {
    return this.#used.length - this.#deadSlots;
  }

  get evictions(): number {
    return this.#evictions;
  }

  home(key: string, exclude?: ReadonlySet<string>): string | null {
    this.#sweepIdle();
    const slot = this.#index.find(key);
    if (slot === undefined || !this.#isLive(slot)) return null;
    const { server } = this.#homeAt(slot);
    if (exclude?.has(server) === true) return null;
    this.#touch(slot);
    return server;
  }

  idleMs(key: string): number {
    const slot = this.#index.find(key);
    if (slot === undefined || this.#idle === undefined || !this.#isLive(slot)) return 0;
    return this.#idle.now() - (this.#usedAt[slot] ?? 0);
  }

  bind(key: string, server: string): string | null {
    this.#sweepIdle();
    let slot = this.#index.find(key);
    let previous: string | null = null;
    if (slot === undefined) {
      slot = this.#claimSlot();
      this.#index.add(ownCopy(key), slot);
      this.#used.append(slot);
    } else if (!this.#isIdle(slot)) {
      previous = this.#homeAt(slot).server;
    }
    this.#move(slot, this.#liveHome(server));
    this.#touch(slot);
    return previous;
  }

  unbind(key: string): void {
    const slot = this.#index.find(key);
    if (slot !== undefined) this.#vacate(slot);
  }

  dropServer(server: string): void {
    const home = this.#homes.get(server);
    if (home === undefined) return;
    home.live = false;
    this.#homes.delete(server);
    this.#deadSlots += home.slots.length;
    if (home.slots.length > 0) this.#dead.add(home);
  }

  *entries(): IterableIterator<readonly [key: string, server: string]> {
    let slot = this.#used.first;
    for (; slot !== NO_SLOT; slot = this.#used.after(slot)) {
      if (this.#isLive(slot)) yield [this.#index.keyAt(slot), this.#homeAt(slot).server];
    }
  }

  #homeAt(slot: number): Home {
    return this.#homeOf[slot] ?? this.#vacant;
  }

  #liveHome(server: string): Home {
    let home = this.#homes.get(server);
    if (home === undefined) {
      home = new Home(server, this.#byHome);
      this.#homes.set(server, home);
    }
    return home;
  }

  #isLive(slot: number): boolean {
    return this.#homeAt(slot).live && !this.#isIdle(slot);
  }

  #isIdle(slot: number): boolean {
    const idle = this.#idle;
    if (idle === undefined) return false;
    return idle.now() - (this.#usedAt[slot] ?? 0) >= idle.ttlMs;
  }

  #touch(slot: number): void {
    this.#used.moveToEnd(slot);
    if (this.#idle !== undefined) this.#usedAt[slot] = this.#idle.now();
  }

  #move(slot: number, to: Home): void {
    const from = this.#homeAt(slot);
    from.slots.remove(slot);
    if (!from.live) {
      this.#deadSlots--;
      if (from.slots.length === 0) this.#dead.delete(from);
    }
    to.slots.append(slot);
    this.#homeOf[slot] = to;
  }

  /** A slot without a key, among the vacant ones; dead bindings make room before any live one does. */
  #claimSlot(): number {
    if (this.#vacant.slots.length === 0) {
      const dead = this.#anyDead();
      if (dead !== NO_SLOT) this.#vacate(dead);
      else if (this.#homeOf.length < this.#maxSessions) this.#addSlot();
      else {
        this.#evictions++;
        this.#vacate(this.#used.first);
      }
    }
    return this.#vacant.slots.first;
  }

  #anyDead(): number {
    for (const home of this.#dead) return home.slots.first;
    return NO_SLOT;
  }

  #addSlot(): void {
    const slot = this.#homeOf.length;
    this.#byUse.reserve(slot + 1, this.#maxSessions);
    this.#byHome.reserve(slot + 1, this.#maxSessions);
    const { room } = this.#byUse;
    if (this.#idle !== undefined && this.#usedAt.length < room) {
      const grown = new Float64Array(room);
      grown.set(this.#usedAt);
      this.#usedAt = grown;
    }
    this.#homeOf.push(this.#vacant);
    this.#vacant.slots.append(slot);
  }

  #vacate(slot: number): void {
    const key = this.#index.keyAt(slot);
    this.#index.remove(slot);
    this.#used.remove(slot);
    this.#move(slot, this.#vacant);
    this.#onDropped?.(key);
  }

  #sweepIdle(): void {
    if (this.#idle === undefined) return;
    for (let swept = 0; swept < SWEEP; swept++) {
      const oldest = this.#used.first;
      if (oldest === NO_SLOT || !this.#isIdle(oldest)) return;
      this.#vacate(oldest);
    }
  }
}
