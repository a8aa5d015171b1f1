/**
 * Keeps a label's values few: the first `limit` different ones stand for themselves, all others for `other`. For texts that
 * somebody else's code makes up.
 */
export class BoundedValues {
  private readonly known = new Set<string>();

  constructor(private readonly limit: number) {}

  of(value: string): string {
    if (this.known.has(value)) return value;
    if (this.known.size >= this.limit) return 'other';
    this.known.add(value);
    return value;
  }
}
