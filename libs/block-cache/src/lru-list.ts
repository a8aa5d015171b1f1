/** A member of at most one {@link LruList}; the links are the list's own. */
export interface LruNode {
  older: LruNode | null;
  newer: LruNode | null;
}

/** Members in the order in which they were added; every operation takes constant time. */
export class LruList<Node extends LruNode> {
  private oldest: Node | null = null;
  private newest: Node | null = null;
  private count = 0;

  /** Members. */
  get size(): number {
    return this.count;
  }

  /** The member that was added first. */
  get first(): Node | null {
    return this.oldest;
  }

  /** Adds as the newest; the node must be in no list. */
  add(node: Node): void {
    node.older = this.newest;
    node.newer = null;
    if (this.newest === null) this.oldest = node;
    else this.newest.newer = node;
    this.newest = node;
    this.count += 1;
  }

  /** Takes a member out. */
  delete(node: Node): void {
    if (node.older === null) this.oldest = node.newer as Node | null;
    else node.older.newer = node.newer;
    if (node.newer === null) this.newest = node.older as Node | null;
    else node.newer.older = node.older;
    node.older = null;
    node.newer = null;
    this.count -= 1;
  }
}
