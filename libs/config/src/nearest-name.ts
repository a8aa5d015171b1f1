/** The candidate that is the least far, the first one among equals; null without candidates. */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  let nearest: string | null = null;
  let least = Infinity;
  for (const candidate of candidates) {
    const distance = nameDistance(name, candidate);
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** How far a name is from another: their edit distance, and little where one is a part of the other. */
export function nameDistance(name: string, other: string): number {
  const [short, long] = [name.toLowerCase(), other.toLowerCase()].sort((a, b) => a.length - b.length) as [
    string,
    string,
  ];
  const distance = editDistance(short, long);
  return short.length >= 4 && long.includes(short) ? Math.min(distance, 2) : distance;
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
