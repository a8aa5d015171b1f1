/**
 * How all workers behind an edge turn prompts into tokens. A prompt is tokenised once for all of its legs, so workers of
 * both fleets have to agree, whoever tokenises. The format of the first worker counts for as long as one with it serves.
 */
export class AgreedFormat {
  private format: string | null = null;

  /** @param serving formats of the instances that serve */
  constructor(private readonly serving: () => readonly string[]) {}

  /** Null before a worker has been reached. */
  get name(): string | null {
    return this.format;
  }

  /** Whether a worker's format is the one agreed on, which it becomes where there is none. */
  admits(format: string): boolean {
    if (this.format === null || !this.serving().includes(this.format)) this.format = format;
    return this.format === format;
  }
}
