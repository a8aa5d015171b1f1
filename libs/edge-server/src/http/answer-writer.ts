import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Characters that may wait for the end of a turn of the event loop. */
const MAX_WAITING = 16 * 1_024;

/**
 * Writes one answer to a client, no faster than the client reads. Events that are written in one turn of the event loop go
 * out together: a busy edge sends what has come in meanwhile at once, at the cost of a single event.
 */
export class AnswerWriter {
  private waiting = '';
  private flushing: NodeJS.Immediate | undefined;

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
   * Sends events.
   *
   * @returns null, or, when the client is slow, what to wait for before writing more; it rejects with the signal's reason
   * when that aborts meanwhile
   */
  write(events: string, signal: AbortSignal): Promise<void> | null {
    this.waiting += events;
    if (this.waiting.length >= MAX_WAITING) this.flush();
    else this.flushing ??= setImmediate(() => this.flush());
    return this.response.writableNeedDrain ? this.drained(signal) : null;
  }

  /** Sends the last events. */
  end(events: string): void {
    clearImmediate(this.flushing);
    this.response.end(this.waiting + events);
    this.waiting = '';
  }

  private flush(): void {
    clearImmediate(this.flushing);
    this.flushing = undefined;
    // A client that has gone gets no more; whoever writes is told by the signal.
    if (!this.response.writableEnded && !this.response.destroyed) this.response.write(this.waiting);
    this.waiting = '';
  }

  private async drained(signal: AbortSignal): Promise<void> {
    try {
      await once(this.response, 'drain', { signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }
}
