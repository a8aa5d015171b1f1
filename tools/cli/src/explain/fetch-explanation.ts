import type { Explanation } from '@roost/edge-server';

import { CliError, messageOf } from '../cli-error.js';

/**
 * Asks an edge's admin port about a request.
 *
 * @throws CliError that says what to do when nothing or something else answers, or the request is not remembered
 */
export async function fetchExplanation(admin: URL, requestId: string): Promise<Explanation> {
  const answer = await ask(new URL(`/requests/${encodeURIComponent(requestId)}`, admin));
  const body = (await answer.json().catch(() => ({}))) as Explanation & { readonly error?: unknown };
  if (answer.status === 200) return body;
  if (typeof body.error === 'string') throw new CliError(`${requestId}: ${body.error}`);
  throw new CliError(
    `${admin.origin} answers ${String(answer.status)} and is no admin port: give that of edge.admin_port with --admin`,
  );
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
