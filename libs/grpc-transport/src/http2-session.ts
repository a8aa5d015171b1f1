import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';

/** What a slow client leaves unread takes no more than that much of memory for each call. */
const CALL_WINDOW = 512 * 1_024;
/**
 * Bytes of all calls that a peer may send before they have been taken. No more than the buffers of a socket hold: Node does
 * not read from a connection while it waits to write to it, and two peers that both wait to write wait for ever.
 */
const SESSION_WINDOW = 512 * 1_024;
const PING_EVERY_MS = 10_000;
/** Within which a peer is connected to, and answers a ping. */
const ANSWER_WITHIN_MS = 5_000;
/** Half of the calls that one HTTP/2 connection can number. */
const MAX_CALLS = 2 ** 29;

/**
 * An HTTP/2 connection to one peer, made when it is needed, and made anew, to whatever address the peer's name has by then,
 * when it is lost, or when the peer takes no more calls on it. A peer that stops answering is noticed within seconds.
 */
export class Http2Session {
  private session: ClientHttp2Session | null = null;
  private calls = 0;

  /** @param server host:port */
  constructor(private readonly server: string) {}

  /**
   * Begins a call.
   *
   * @throws Error for headers that cannot be sent
   */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    if (this.session === null || this.session.closed || this.session.destroyed) this.session = this.open();
    const { session } = this;
    this.calls += 1;
    const stream = session.request(headers);
    if (this.calls >= MAX_CALLS) this.close();
    return stream;
  }

  /** Ends the connection when its last call has ended; the next call makes another. */
  close(): void {
    this.session?.close();
    this.session = null;
  }

  private open(): ClientHttp2Session {
    this.calls = 0;
    const session = connect(`http://${this.server}`, {
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
      settings: { enablePush: false, initialWindowSize: CALL_WINDOW },
      // Until the peer has said how many calls it takes at a time: it refuses those that are sent before and are too many.
      peerMaxConcurrentStreams: 1,
    });
    // Every call waits for the connection with a listener of its own.
    session.setMaxListeners(0);
    // Each call that it breaks is told.
    session.on('error', () => undefined);
    watch(session);
    return session;
  }
}

function watch(session: ClientHttp2Session): void {
  const giveUp = (): void => session.destroy(new Error('the peer does not answer'));
  let answering = setTimeout(giveUp, ANSWER_WITHIN_MS).unref();
  session.once('connect', () => {
    clearTimeout(answering);
    session.setLocalWindowSize(SESSION_WINDOW);
  });
  const pinging = setInterval(() => {
    if (session.connecting || session.destroyed) return;
    clearTimeout(answering);
    answering = setTimeout(giveUp, ANSWER_WITHIN_MS).unref();
    session.ping(() => clearTimeout(answering));
  }, PING_EVERY_MS).unref();
  session.once('close', () => {
    clearTimeout(answering);
    clearInterval(pinging);
  });
}
