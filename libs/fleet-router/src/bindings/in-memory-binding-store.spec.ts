// The in-memory store: order of use, eviction, exclusion, dropped servers, idle time, and all of it against a model.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { InMemoryBindingStore } from './in-memory-binding-store.js';

const make = (maxSessions: number): { store: InMemoryBindingStore; dropped: string[] } => {
  const dropped: string[] = [];
  const onDropped = (key: string): void => void dropped.push(key);
  return { store: new InMemoryBindingStore({ maxSessions, onDropped }), dropped };
};

describe('InMemoryBindingStore', () => {
  it.each([0, -1, 1.5, NaN, Infinity])('refuses %p sessions', (maxSessions) => {
    expect(() => new InMemoryBindingStore({ maxSessions })).toThrow(RangeError);
  });

  it.each([0, -1, NaN])('refuses an idle time of %p', (ttlMs) => {
    const idle = { ttlMs, now: () => 0 };
    expect(() => new InMemoryBindingStore({ maxSessions: 1, idle })).toThrow(RangeError);
  });

  it('evicts the least recently used, by whatever use', () => {
    const { store, dropped } = make(3);
    for (const key of ['i', 'j', 'k']) store.bind(key, 'a');
    store.home('i');
    store.bind('j', 'b');
    store.bind('l', 'a');
    expect(dropped).toEqual(['k']);
    expect([...store.entries()]).toEqual([
      ['i', 'a'],
      ['j', 'b'],
      ['l', 'a'],
    ]);
  });

  it('answers null for an excluded home without counting a use', () => {
    const { store } = make(2);
    store.bind('i', 'a');
    store.bind('j', 'b');
    expect(store.home('i', new Set(['a']))).toBeNull();
    expect([...store.entries()][0]).toEqual(['i', 'a']);
  });

  it('tells what a key was bound to before', () => {
    const { store } = make(2);
    expect(store.bind('i', 'a')).toBeNull();
    expect(store.bind('i', 'b')).toBe('a');
    store.dropServer('b');
    expect(store.bind('i', 'a')).toBe('b');
  });

  it("ends a dropped server's bindings at once, and for good", () => {
    const { store } = make(4);
    for (const key of ['i', 'j']) store.bind(key, 'a');
    store.bind('k', 'b');
    store.dropServer('a');
    store.dropServer('a');
    expect(store.size).toBe(1);
    expect(store.home('i')).toBeNull();
    store.bind('l', 'a');
    expect([...store.entries()]).toEqual([
      ['k', 'b'],
      ['l', 'a'],
    ]);
  });

  it('gives up no live binding while dead ones take room', () => {
    const { store, dropped } = make(3);
    store.bind('live', 'b');
    store.bind('i', 'a');
    store.bind('j', 'a');
    store.dropServer('a');
    store.bind('k', 'b');
    store.bind('l', 'b');
    expect(dropped.sort()).toEqual(['i', 'j']);
    expect([...store.entries()].map(([key]) => key)).toEqual(['live', 'k', 'l']);
    store.bind('m', 'b');
    expect(dropped).toContain('live');
  });

  it('gives up the dead of every dropped server before a live binding', () => {
    const { store, dropped } = make(3);
    for (const name of ['c', 'a', 'b']) store.bind(`on ${name}`, name);
    store.dropServer('a');
    store.dropServer('b');
    store.bind('i', 'c');
    store.bind('j', 'c');
    expect(dropped).toEqual(['on a', 'on b']);
  });

  it('ends a binding that was idle for the whole time, not earlier', () => {
    let clock = 5000;
    const idle = { ttlMs: 100, now: () => clock };
    const store = new InMemoryBindingStore({ maxSessions: 9, idle });
    store.bind('i', 'a');
    clock += 99;
    expect(store.home('i')).toBe('a');
    clock += 99;
    expect(store.home('i')).toBe('a');
    clock += 100;
    expect([...store.entries()]).toEqual([]);
    expect(store.home('i')).toBeNull();
    expect(store.bind('i', 'b')).toBeNull();
  });

  it('knows no idle times without a clock', () => {
    const { store } = make(9);
    store.bind('i', 'a');
    expect(store.idleMs('i')).toBe(0);
  });

  it('clears idle bindings away a few at a time', () => {
    let clock = 0;
    const idle = { ttlMs: 100, now: () => clock };
    const store = new InMemoryBindingStore({ maxSessions: 99, idle });
    for (let i = 0; i < 20; i++) store.bind(`k${String(i)}`, 'a');
    clock = 100;
    store.home('other');
    const after = store.size;
    expect(after).toBeGreaterThan(10);
    for (let i = 0; i < 20; i++) store.home('other');
    expect(store.size).toBe(0);
  });

  it('keeps keys that differ in anything apart', () => {
    const keys = ['', 'a', 'A', 'a ', 'é', 'e\u0301', '\ud800', '\ud801', '日本', 'a'.repeat(256)];
    const { store } = make(99);
    keys.forEach((key, at) => store.bind(key, String(at)));
    expect(keys.map((key) => store.home(key))).toEqual(keys.map((_, at) => String(at)));
    expect([...store.entries()].map(([key]) => key)).toEqual(keys);
  });

  it('equals a model on random sequences', () => {
    const key = fc.constantFrom('i', 'j', 'k', 'l', 'm');
    const server = fc.constantFrom('a', 'b', 'c');
    const operation = (op: string, weight: number): fc.WeightedArbitrary<[string, string, string]> => ({
      weight,
      arbitrary: fc.tuple(fc.constant(op), key, server),
    });
    const step = fc.oneof(
      operation('bind', 4),
      operation('home', 4),
      operation('unbind', 1),
      operation('drop', 1),
      operation('wait', 2),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(3, Infinity),
        fc.array(step, { maxLength: 60 }),
        (maxSessions, ttlMs, steps) => {
          let clock = 0;
          const limits = { maxSessions, idle: { ttlMs, now: () => clock } };
          const subject = new InMemoryBindingStore(limits);
          const model = new ModelStore(limits);
          for (const [op, key, server] of steps) {
            if (op === 'wait') clock++;
            expect(apply(subject, op, key, server)).toEqual(apply(model, op, key, server));
            expect(subject.size).toBeLessThanOrEqual(maxSessions);
            expect(subject.size).toBeGreaterThanOrEqual(model.size);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** One operation; what it answers, and the bindings afterwards. */
function apply(store: InMemoryBindingStore | ModelStore, op: string, key: string, server: string): unknown {
  if (op === 'bind') store.bind(key, server);
  else if (op === 'unbind') store.unbind(key);
  else if (op === 'drop') store.dropServer(server);
  const home = op === 'home' ? store.home(key, new Set([server])) : null;
  return { home, idleMs: store.idleMs(key), entries: [...store.entries()] };
}

/** A list, least recently used first; every question is answered by scanning. */
class ModelStore {
  #held: { key: string; server: string; at: number }[] = [];

  constructor(private readonly limits: { maxSessions: number; idle: { ttlMs: number; now: () => number } }) {}

  get size(): number {
    return [...this.entries()].length;
  }

  home(key: string, exclude: ReadonlySet<string>): string | null {
    const found = [...this.entries()].find(([known]) => known === key);
    if (found === undefined || exclude.has(found[1])) return null;
    this.bind(key, found[1]);
    return found[1];
  }

  bind(key: string, server: string): void {
    this.unbind(key);
    this.#held.push({ key, server, at: this.limits.idle.now() });
    this.#held = this.#held.slice(-this.limits.maxSessions);
  }

  idleMs(key: string): number {
    const isLive = [...this.entries()].some(([known]) => known === key);
    const at = this.#held.find((entry) => entry.key === key)?.at ?? 0;
    return isLive ? this.limits.idle.now() - at : 0;
  }

  unbind(key: string): void {
    this.#held = this.#held.filter((entry) => entry.key !== key);
  }

  dropServer(server: string): void {
    this.#held = this.#held.filter((entry) => entry.server !== server);
  }

  *entries(): IterableIterator<readonly [string, string]> {
    const { ttlMs, now } = this.limits.idle;
    for (const { key, server, at } of this.#held) if (now() - at < ttlMs) yield [key, server];
  }
}
