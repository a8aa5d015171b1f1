import type { LoadFigures } from './load-spec.js';

/** What one client waits for. */
export interface Pending {
  readonly startedAt: number;
  firstTokenAt: number | null;
  tokens: number;
}

/** Counts what a closed loop of clients sees. */
export class Tally {
  private readonly startedAt = performance.now();
  private readonly latencies: number[] = [];
  private readonly firstTokens: number[] = [];
  private tokens = 0;
  private errors = 0;
  private firstError: string | null = null;

  /** Counts a request that was answered. */
  answered({ startedAt, firstTokenAt, tokens }: Pending): void {
    this.latencies.push(performance.now() - startedAt);
    this.tokens += tokens;
    if (firstTokenAt !== null) this.firstTokens.push(firstTokenAt - startedAt);
  }

  /** Counts a request that failed. */
  failed(why: string): void {
    this.errors += 1;
    this.firstError ??= why.slice(0, 300);
  }

  figures(): LoadFigures {
    const { latencies, firstTokens, tokens, errors, firstError } = this;
    const seconds = (performance.now() - this.startedAt) / 1_000;
    for (const values of [latencies, firstTokens]) values.sort((a, b) => a - b);
    return {
      requests: latencies.length,
      seconds,
      tokens,
      errors,
      firstError,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      firstTokenP50: quantile(firstTokens, 0.5),
      firstTokenP99: quantile(firstTokens, 0.99),
    };
  }
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** What a client of a closed loop asks. */
export interface Asking {
  /** Has one request served; rejects when it is not, and is asked again. */
  ask(pending: Pending): Promise<void>;
  close(): void;
}

/**
 * Keeps every client busy for some seconds, and waits for what is under way then. A client that fails waits a moment, so
 * that one that nobody answers does not spin.
 */
export async function closedLoop(clients: readonly Asking[], seconds: number, rampSeconds = 0): Promise<LoadFigures> {
  const tally = new Tally();
  const end = performance.now() + seconds * 1_000;
  const run = async (client: Asking, at: number): Promise<void> => {
    if (rampSeconds > 0) await pause((at / clients.length) * rampSeconds * 1_000);
    while (performance.now() < end) {
      const pending: Pending = { startedAt: performance.now(), firstTokenAt: null, tokens: 0 };
      try {
        await client.ask(pending);
        tally.answered(pending);
      } catch (error) {
        tally.failed(error instanceof Error ? error.message : String(error));
        await pause(50);
      }
    }
  };
  await Promise.all(clients.map(run));
  for (const client of clients) client.close();
  return tally.figures();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
