import { NO_SLOT, type SlotLinks, SlotList } from '@roost/slot-table';

/**
 * Something that can hold blocks, `of` saying what. It has a seat: where another owner of the same seat comes to hold
 * a block, it does so in the first one's place.
 */
export class Owner<Of> {
  /** The sets that it is in, which between them have all its blocks. */
  readonly sets = new Set<OwnerSet<Of>>();

  /** `serial` is no other owner's. */
  constructor(
    readonly serial: number,
    readonly seat: number,
    readonly of: Of,
  ) {}
}

/** Owners that hold the same blocks, and these blocks. */
export class OwnerSet<Of> {
  readonly blocks: SlotList;

  /** `members` in the order of their seats. */
  constructor(
    readonly id: number,
    links: SlotLinks,
    public members: readonly Owner<Of>[],
  ) {
    this.blocks = new SlotList(links);
  }
}

/** The id that no set has. */
export const NO_SET = 0;

/** What a set takes, what each member adds to it, and what an owner takes that holds anything; by measurement, rounded up. */
const SET_BYTES = 320;
const MEMBER_BYTES = 64;
const OWNER_BYTES = 400;

/**
 * The sets of owners that blocks are held by, each made once: however many blocks there are, instances that hold the
 * same of them share one set. A set that loses its last block is gone.
 */
export class OwnerSets<Of> {
  #bytes = 0;
  readonly #byId: (OwnerSet<Of> | null)[] = [null];
  readonly #freeIds: number[] = [];
  readonly #byMembers = new Map<string, OwnerSet<Of>>();
  readonly #memberless = new Set<OwnerSet<Of>>();
  /**
   * The latest step from set to set: blocks come in runs that all take the same one. An owner that is forgotten leaves
   * both ends of it alike.
   */
  #step: { readonly from: OwnerSet<Of> | null; readonly owner: Owner<Of>; readonly to: OwnerSet<Of> } | null = null;

  /** `onEmptied` is told of each owner that has lost the last of its blocks. */
  constructor(
    private readonly links: SlotLinks,
    private readonly onEmptied: (owner: Owner<Of>) => void,
  ) {}

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
  at(id: number): OwnerSet<Of> {
    const set = this.#byId[id];
    if (set === undefined || set === null) throw new Error(`no set of owners has the id ${String(id)}`);
    return set;
  }

  /**
   * The set with this owner on its seat; null is the set without members. The caller puts a block into it at once.
   */
  with(set: OwnerSet<Of> | null, owner: Owner<Of>): OwnerSet<Of> {
    const step = this.#step;
    if (step !== null && step.from === set && step.owner === owner) return step.to;
    const members = set?.members ?? [];
    const at = members.findLastIndex(({ seat }) => seat < owner.seat) + 1;
    const to = this.#of(members.toSpliced(at, members[at]?.seat === owner.seat ? 1 : 0, owner));
    this.#step = { from: set, owner, to };
    return to;
  }

  /** The set with one member less, null for none. The caller puts a block into it at once. */
  without(set: OwnerSet<Of>, owner: Owner<Of>): OwnerSet<Of> | null {
    const members = set.members.filter((member) => member !== owner);
    return members.length === 0 ? null : this.#of(members);
  }

  /** Ends a set that has no block. */
  release(set: OwnerSet<Of>): void {
    const key = keyOf(set.members);
    if (this.#byMembers.get(key) === set) this.#byMembers.delete(key);
    this.#memberless.delete(set);
    this.#byId[set.id] = null;
    this.#freeIds.push(set.id);
    this.#bytes -= bytesOf(set);
    this.#step = null;
    for (const owner of set.members) {
      owner.sets.delete(set);
      if (owner.sets.size === 0) this.#emptied(owner);
    }
  }

  /** Takes an owner out of all sets, in time that does not depend on how many blocks are in them. */
  forget(owner: Owner<Of>): void {
    if (owner.sets.size === 0) return;
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
    this.#emptied(owner);
  }

  #of(members: readonly Owner<Of>[]): OwnerSet<Of> {
    const key = keyOf(members);
    const known = this.#byMembers.get(key);
    if (known !== undefined) return known;
    const set = new OwnerSet(this.#freeIds.pop() ?? this.#byId.length, this.links, members);
    this.#byId[set.id] = set;
    this.#byMembers.set(key, set);
    this.#bytes += bytesOf(set);
    for (const owner of members) {
      if (owner.sets.size === 0) this.#bytes += OWNER_BYTES;
      owner.sets.add(set);
    }
    return set;
  }

  #emptied(owner: Owner<Of>): void {
    this.#bytes -= OWNER_BYTES;
    this.onEmptied(owner);
  }
}

function keyOf(members: readonly Owner<unknown>[]): string {
  return members.map(({ serial }) => serial).join();
}

function bytesOf({ members }: OwnerSet<unknown>): number {
  return SET_BYTES + MEMBER_BYTES * members.length;
}
