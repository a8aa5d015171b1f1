/** The candidate that takes the fewest single-letter changes to reach, the first one among equals; null without candidates. */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  let nearest: string | null = null;
  let least = Infinity;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** Insertions, deletions and replacements between two words. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = at(row, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(at(row, j) + 1, at(next, j - 1) + 1, replaced));
    }
    row = next;
  }
  return at(row, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
