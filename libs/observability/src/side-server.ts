import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a side server answers. */
export interface SideAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Where a side server listens, and to whom. */
export interface SideServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Whether to refuse requests whose Host is not this machine, which a web page in somebody's browser could send. */
  readonly localOnly?: boolean;
}

/** A small HTTP server beside the one that an app is for: it takes GET only, and knows of no bodies. */
export class SideServer {
  private constructor(private readonly server: Server) {}

  /**
   * Listens.
   *
   * @param answer for a path, without its query; null: there is nothing
   * @throws Error of the system when it cannot listen there
   */
  static start(
    { host, port, localOnly = false }: SideServerOptions,
    answer: (path: string) => SideAnswer | null | Promise<SideAnswer | null>,
  ): Promise<SideServer> {
    const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 10_000 }, (request, response) => {
      void respond(request, response, localOnly, answer);
    });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.off('error', reject);
        resolve(new SideServer(server));
      });
    });
  }

  /** The port that it listens on. */
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Stops listening, and ends every connection. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}

/** An answer of JSON. */
export function jsonAnswer(value: unknown, status = 200): SideAnswer {
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(value) };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  localOnly: boolean,
  answer: (path: string) => SideAnswer | null | Promise<SideAnswer | null>,
): Promise<void> {
  request.resume();
  const found = await judge(request, localOnly, answer).catch(() => jsonAnswer({ error: 'internal error' }, 500));
  response.writeHead(found.status, { 'content-type': found.contentType, 'cache-control': 'no-store' });
  response.end(found.body);
}

async function judge(
  { method, url = '/', headers }: IncomingMessage,
  localOnly: boolean,
  answer: (path: string) => SideAnswer | null | Promise<SideAnswer | null>,
): Promise<SideAnswer> {
  if (localOnly && !isLocal(headers.host)) return jsonAnswer({ error: 'ask for this as 127.0.0.1 or localhost' }, 403);
  if (method !== 'GET') return jsonAnswer({ error: 'use GET' }, 405);
  const [path = '/'] = url.split('?');
  return (await answer(path)) ?? jsonAnswer({ error: 'there is nothing here' }, 404);
}

function isLocal(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host ?? '');
}
