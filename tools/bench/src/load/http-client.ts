import { Buffer } from 'node:buffer';
import { connect, type Socket } from 'node:net';

import { type LoadSpec, TOKEN_TEXT } from './load-spec.js';
import { requestBody } from './request-body.js';
import { ResponseReader } from './response-reader.js';
import type { Asking, Pending } from './tally.js';

const TOKEN = Buffer.from(TOKEN_TEXT);
const NOTHING = Buffer.alloc(0);

/** A client with a connection and a session of its own. */
export class HttpClient implements Asking {
  private socket: Socket | null = null;
  private reader = this.newReader();
  private pending: Pending | null = null;
  private carry: Buffer = NOTHING;
  private settle: { resolve: () => void; reject: (error: Error) => void } | null = null;
  private readonly bytes: Buffer;

  constructor(
    private readonly port: number,
    private readonly spec: LoadSpec,
    client: number,
  ) {
    const body = requestBody(spec, client);
    const session = `session-${String(client)}`;
    // Routers look for the session in different headers.
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      'host: 127.0.0.1',
      'content-type: application/json',
      `x-session-id: ${session}`,
      `x-smg-routing-key: ${session}`,
      `x-litellm-session-id: ${session}`,
      `content-length: ${String(body.length)}`,
    ];
    this.bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
  }

  /** Connects, unless connected. */
  async connect(): Promise<Socket> {
    if (this.socket !== null) return this.socket;
    const socket = connect(this.port, '127.0.0.1').setNoDelay();
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    this.reader = this.newReader();
    socket.on('data', (data) => this.take(data));
    socket.on('close', () => this.lose(new Error('the connection was closed before the answer was complete')));
    socket.on('error', (error) => this.lose(error));
    this.socket = socket;
    return socket;
  }

  async ask(pending: Pending): Promise<void> {
    const socket = await this.connect();
    this.pending = pending;
    await new Promise<void>((resolve, reject) => {
      this.settle = { resolve, reject };
      socket.write(this.bytes);
    });
    if (pending.tokens === this.spec.tokens) return;
    throw new Error(`${String(pending.tokens)} tokens came, not ${String(this.spec.tokens)}`);
  }

  close(): void {
    this.settle = null;
    this.socket?.destroy();
  }

  private newReader(): ResponseReader {
    return new ResponseReader((piece) => this.count(piece));
  }

  private take(data: Buffer): void {
    if (!this.reader.push(data)) return;
    const { settle } = this;
    const { status } = this.reader;
    this.settle = null;
    if (status === 200) settle?.resolve();
    else settle?.reject(new Error(`HTTP ${String(status)}: ${data.toString('latin1').slice(-250)}`));
  }

  private lose(error: Error): void {
    this.socket?.destroy();
    this.socket = null;
    const { settle } = this;
    this.settle = null;
    settle?.reject(error);
  }

  /** Counts tokens, also those that are cut in two. */
  private count(piece: Buffer): void {
    if (this.pending === null) return;
    const bytes = this.carry.length === 0 ? piece : Buffer.concat([this.carry, piece]);
    let after = 0;
    for (let at = bytes.indexOf(TOKEN); at !== -1; at = bytes.indexOf(TOKEN, after)) {
      this.pending.firstTokenAt ??= performance.now();
      this.pending.tokens += 1;
      after = at + TOKEN.length;
    }
    this.carry = bytes.subarray(Math.max(after, bytes.length - TOKEN.length + 1));
  }
}
