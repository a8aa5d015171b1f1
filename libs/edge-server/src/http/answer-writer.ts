import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Writes one answer to a client, no faster than the client reads. */
export class AnswerWriter {
  constructor(private readonly response: ServerResponse) {}

  get begun(): boolean {
    return this.response.headersSent;
  }

  /** Sends a whole JSON answer. */
  sendJson(json: string, headers: Readonly<Record<string, string>>): void {
    this.response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(json)),
      ...headers,
    });
    this.response.end(json);
  }

  /** Sends the head of a stream of server-sent events. */
  beginEvents(headers: Readonly<Record<string, string>>): void {
    this.response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    });
  }

  /**
   * Sends events, and waits while the client is slow.
   *
   * @throws the signal's reason when it aborts meanwhile
   */
  async write(events: string, signal: AbortSignal): Promise<void> {
    if (this.response.write(events)) return;
    try {
      await once(this.response, 'drain', { signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  end(events: string): void {
    this.response.end(events);
  }
}
