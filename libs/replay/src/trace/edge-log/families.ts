/** Where a conversation belongs. */
export interface Family {
  /** The conversation at the top. */
  readonly session: string;
  /** The one that spawned it; null at the top. */
  readonly parent: string | null;
  /** Seconds of the epoch, of the session's first request. */
  readonly start: number;
}

/** What tells families: who asked, for whom, and when in seconds of the epoch. */
interface FamilyFacts {
  readonly conversation: string;
  readonly parent: string | null;
  readonly at: number;
}

/**
 * Finds out who descends from whom; a conversation that would descend from itself is at the top.
 *
 * @param requests in the order of their arrival
 */
export function familiesOf(requests: readonly FamilyFacts[]): ReadonlyMap<string, Family> {
  const parents = parentsOf(requests);
  const families = new Map<string, Family>();
  const starts = new Map<string, number>();
  for (const { conversation, at } of requests) {
    if (families.has(conversation)) continue;
    const session = rootOf(conversation, parents);
    const start = starts.get(session) ?? at;
    starts.set(session, start);
    families.set(conversation, { session, parent: parents.get(conversation) ?? null, start });
  }
  return families;
}

function parentsOf(requests: readonly FamilyFacts[]): ReadonlyMap<string, string> {
  const known = new Set(requests.map(({ conversation }) => conversation));
  const parents = new Map<string, string>();
  for (const { conversation, parent } of requests) {
    if (parent === null || parents.has(conversation) || !known.has(parent)) continue;
    if (rootOf(parent, parents) !== conversation) parents.set(conversation, parent);
  }
  return parents;
}

/** Ends, because a parent that would close a circle is never noted. */
function rootOf(conversation: string, parents: ReadonlyMap<string, string>): string {
  let root = conversation;
  for (let above = parents.get(root); above !== undefined; above = parents.get(root)) root = above;
  return root;
}
