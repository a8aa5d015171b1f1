const timeoutMilliseconds = 1_000;

/** Whether the HTTP server at `baseUrl` answers `GET /health` with 200 within a second. Never rejects. */
export async function isHttpHealthy(baseUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/health', baseUrl), {
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}
