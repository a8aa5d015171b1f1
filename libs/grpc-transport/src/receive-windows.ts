import { subscribe } from 'node:diagnostics_channel';
import type { Http2Session, ServerHttp2Stream } from 'node:http2';

/** Bytes of one call, and of all calls of a connection, that a peer may send before they have been taken. */
const CALL_WINDOW = 4 * 1_024 * 1_024;
const CONNECTION_WINDOW = 16 * 1_024 * 1_024;

const widened = new WeakSet<Http2Session>();
let subscribed = false;

/**
 * Lets the servers of this process take a long prompt in one go. HTTP/2's own windows of 64 KB make an edge stop and wait
 * four times for one of 250 KB, at nearly twice the cost, and gRPC's options have no say in a server's. Nothing is held that
 * would not be: a call's message is read whole before anything is done with it. From a connection's second call on.
 */
export function widenReceiveWindows(): void {
  if (subscribed) return;
  subscribed = true;
  subscribe('http2.server.stream.start', (message) => {
    const { session } = (message as { stream: ServerHttp2Stream }).stream;
    if (session === undefined || session.destroyed || widened.has(session)) return;
    widened.add(session);
    session.settings({ initialWindowSize: CALL_WINDOW });
    session.setLocalWindowSize(CONNECTION_WINDOW);
  });
}
