import type { Explanation } from '@roost/edge-server';

import { CliError, messageOf } from '../cli-error.js';

/**
 * Asks an edge's admin port about a request.
 *
 * @throws CliError that says what to do when nothing answers, or the request is not remembered
 */
export async function fetchExplanation(admin: URL, requestId: string): Promise<Explanation> {
  const answer = await ask(new URL(`/requests/${encodeURIComponent(requestId)}`, admin));
  const body = (await answer.json().catch(() => ({}))) as Explanation & { readonly error?: string };
  if (answer.status !== 200) {
    throw new CliError(`${requestId}: ${body.error ?? `the edge answers ${String(answer.status)}`}`);
  }
  return body;
}

async function ask(url: URL): Promise<Response> {
  try {
    return await fetch(url);
  } catch (error) {
    throw new CliError(
      `nothing answers on ${url.origin} (${messageOf(error)}): set edge.admin_port, and ask on the edge's own machine`,
    );
  }
}
