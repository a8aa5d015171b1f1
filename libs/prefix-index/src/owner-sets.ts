import { NO_SLOT, type SlotLinks, SlotList } from '@roost/slot-table';

/** Something that can hold blocks: a rank of a server, or a claim that is not of one rank (`rank` null). */
export class Owner {
  /** The sets that it is in, which between them have all its blocks. */
  readonly sets = new Set<OwnerSet>();

  constructor(
    readonly serial: number,
    readonly server: string,
    readonly rank: number | null,
  ) {}
}

/** Owners that hold the same blocks, and these blocks. */
export class OwnerSet {
  readonly blocks: SlotList;

  /** `members` in the order of their serials. */
  constructor(
    readonly id: number,
    links: SlotLinks,
    public members: readonly Owner[],
  ) {
    this.blocks = new SlotList(links);
  }
}

/** The id that no set has. */
export const NO_SET = 0;

/** What a set takes, and what each member adds to it, in bytes; by measurement, rounded up. */
const SET_BYTES = 320;
const MEMBER_BYTES = 64;

/**
 * The sets of owners that blocks are held by, each made once: however many blocks there are, instances that hold the
 * same of them share one set. A set that loses its last block is gone.
 */
export class OwnerSets {
  #bytes = 0;
  readonly #byId: (OwnerSet | null)[] = [null];
  readonly #freeIds: number[] = [];
  readonly #byMembers = new Map<string, OwnerSet>();
  readonly #memberless = new Set<OwnerSet>();
  /**
   * The latest step from set to set: blocks come in runs that all take the same one. An owner that is forgotten leaves
   * both ends of it alike.
   */
  #step: { readonly from: OwnerSet | null; readonly owner: Owner; readonly to: OwnerSet } | null = null;

  constructor(private readonly links: SlotLinks) {}

  /** Memory taken, estimated. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A block that nobody holds any more, or NO_SLOT. */
  get heldByNobody(): number {
    for (const { blocks } of this.#memberless) return blocks.first;
    return NO_SLOT;
  }

  /** Number of blocks that nobody holds any more. */
  get blocksHeldByNobody(): number {
    let count = 0;
    for (const { blocks } of this.#memberless) count += blocks.length;
    return count;
  }

  /** The set of this id, which must be one that has blocks. */
  at(id: number): OwnerSet {
    const set = this.#byId[id];
    if (set === undefined || set === null) throw new Error(`no set of owners has the id ${String(id)}`);
    return set;
  }

  /** The set with one member more; null is the set without members. The caller puts a block into it at once. */
  with(set: OwnerSet | null, owner: Owner): OwnerSet {
    const step = this.#step;
    if (step !== null && step.from === set && step.owner === owner) return step.to;
    const members = set?.members ?? [];
    const at = members.findLastIndex(({ serial }) => serial < owner.serial) + 1;
    const to = this.#of(members.toSpliced(at, 0, owner));
    this.#step = { from: set, owner, to };
    return to;
  }

  /** The set with one member less, null for none. The caller puts a block into it at once. */
  without(set: OwnerSet, owner: Owner): OwnerSet | null {
    const members = set.members.filter((member) => member !== owner);
    return members.length === 0 ? null : this.#of(members);
  }

  /** Ends a set that has no block. */
  release(set: OwnerSet): void {
    const key = keyOf(set.members);
    if (this.#byMembers.get(key) === set) this.#byMembers.delete(key);
    for (const owner of set.members) owner.sets.delete(set);
    this.#memberless.delete(set);
    this.#byId[set.id] = null;
    this.#freeIds.push(set.id);
    this.#bytes -= bytesOf(set);
    this.#step = null;
  }

  /** Takes an owner out of all sets, in time that does not depend on how many blocks are in them. */
  forget(owner: Owner): void {
    for (const set of owner.sets) {
      const key = keyOf(set.members);
      if (this.#byMembers.get(key) === set) this.#byMembers.delete(key);
      this.#bytes -= bytesOf(set);
      set.members = set.members.filter((member) => member !== owner);
      this.#bytes += bytesOf(set);
      if (set.members.length === 0) this.#memberless.add(set);
      // Another set of these members may exist; then it stays beside this one for as long as its blocks do.
      else this.#byMembers.set(keyOf(set.members), set);
    }
    owner.sets.clear();
  }

  #of(members: readonly Owner[]): OwnerSet {
    const key = keyOf(members);
    const known = this.#byMembers.get(key);
    if (known !== undefined) return known;
    const set = new OwnerSet(this.#freeIds.pop() ?? this.#byId.length, this.links, members);
    this.#byId[set.id] = set;
    this.#byMembers.set(key, set);
    for (const owner of members) owner.sets.add(set);
    this.#bytes += bytesOf(set);
    return set;
  }
}

function keyOf(members: readonly Owner[]): string {
  return members.map(({ serial }) => serial).join();
}

function bytesOf({ members }: OwnerSet): number {
  return SET_BYTES + MEMBER_BYTES * members.length;
}
