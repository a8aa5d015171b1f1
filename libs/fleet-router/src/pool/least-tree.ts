/**
 * The least of many numbers, how many are tied for it, and which those are, kept up to date in time logarithmic to how many
 * there are.
 */
export class LeastTree {
  /** Nodes 1 to 2 * leaves - 1 of a binary tree: the children of node n are 2n and 2n + 1. */
  readonly #leaves: number;
  /** Of each node, the least number below it; Infinity where there is none. */
  readonly #least: Float64Array;
  /** Of each node, how many leaves below it have that number. */
  readonly #tied: Int32Array;

  /** Of numbers at positions 0, 1, 2, ..., in this order. */
  constructor(numbers: readonly number[]) {
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(1, numbers.length)));
    this.#least = new Float64Array(2 * this.#leaves).fill(Infinity);
    this.#tied = new Int32Array(2 * this.#leaves);
    this.#least.set(numbers, this.#leaves);
    this.#tied.fill(1, this.#leaves, this.#leaves + numbers.length);
    for (let node = this.#leaves - 1; node > 0; node--) this.#combine(node);
  }

  /** The least; Infinity where there are none. */
  get least(): number {
    return this.#least[1] ?? Infinity;
  }

  /** How many are tied for the least; 0 where there are none. */
  get tied(): number {
    return this.least === Infinity ? 0 : (this.#tied[1] ?? 0);
  }

  /** Changes the number at a position; Infinity leaves it out. */
  set(position: number, number: number): void {
    let node = this.#leaves + position;
    this.#least[node] = number;
    // As soon as nothing changes in a node, nothing does above it.
    for (node >>= 1; node > 0; node >>= 1) if (!this.#combine(node)) return;
  }

  /** The position of one of those that are tied for the least, 0 the first of them. */
  positionOf(turn: number): number {
    const { least } = this;
    let node = 1;
    let left = turn;
    while (node < this.#leaves) {
      node *= 2;
      const here = this.#least[node] === least ? (this.#tied[node] ?? 0) : 0;
      if (left < here) continue;
      left -= here;
      node++;
    }
    return node - this.#leaves;
  }

  /** Whether the node has changed. */
  #combine(node: number): boolean {
    const leasts = this.#least;
    const ties = this.#tied;
    const left = 2 * node;
    const one = leasts[left] ?? Infinity;
    const other = leasts[left + 1] ?? Infinity;
    const least = other < one ? other : one;
    let tied = 0;
    if (one === least) tied += ties[left] ?? 0;
    if (other === least) tied += ties[left + 1] ?? 0;
    if (leasts[node] === least && ties[node] === tied) return false;
    leasts[node] = least;
    ties[node] = tied;
    return true;
  }
}
