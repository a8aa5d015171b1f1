import { createServer } from 'node:net';

import { CliError } from '../cli-error.js';

/** Where a child is to listen. */
export interface ListenPlace {
  /** The child's name. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Makes sure that every place can be listened on now.
 *
 * @throws CliError naming each that cannot, why, and what to do
 */
export async function checkPorts(places: readonly ListenPlace[]): Promise<void> {
  requireDistinct(places);
  const refusals: string[] = [];
  for (const place of places) {
    const code = await listenOnce(place);
    if (code !== undefined) refusals.push(explain(place, code));
  }
  if (refusals.length > 0) throw new CliError(refusals.join('\n'));
}

function requireDistinct(places: readonly ListenPlace[]): void {
  const taken = new Map<string, string>();
  for (const place of places) {
    const address = addressOf(place);
    const other = place.port === 0 ? undefined : taken.get(address);
    if (other !== undefined)
      throw new CliError(`${place.name} and ${other} are both to listen on ${address}; give each a port of its own`);
    taken.set(address, place.name);
  }
}

function addressOf({ host, port }: ListenPlace): string {
  return `${host}:${String(port)}`;
}

function listenOnce({ host, port }: ListenPlace): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  });
}

function explain(place: ListenPlace, code: string): string {
  const { name, host, port } = place;
  const address = addressOf(place);
  switch (code) {
    case 'EADDRINUSE':
      return `${name}: port ${String(port)} of ${host} is taken by another process; stop that process (\`lsof -i :${String(port)}\` shows it) or change the port in the configuration`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${name}: ${address} is not an address of this machine (${code}); \`roost up\` starts everything here - use \`roost context-worker\` and \`roost generation-worker\` on the other machines and \`roost edge\` here`;
    case 'EACCES':
      return `${name}: this user may not listen on ${address}; use a port above 1023`;
    default:
      return `${name}: cannot listen on ${address}: ${code}`;
  }
}
