import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';

import { Metadata, status } from '@grpc/grpc-js';
import { RoostError } from '@roost/protocol';

import { errorOfStatus, isStatus } from './status.js';

/** Statuses of HTTP by which something between here and the worker says that it cannot be reached. */
const UNAVAILABLE = new Set([429, 502, 503, 504]);

/** How a call ended, as far as its peer has said. */
export class CallEnding {
  private headers: IncomingHttpHeaders = {};
  private trailers: IncomingHttpHeaders | null = null;

  constructor(stream: ClientHttp2Stream) {
    stream.once('response', (headers) => (this.headers = headers));
    stream.once('trailers', (trailers: IncomingHttpHeaders) => (this.trailers = trailers));
  }

  /**
   * What the call failed with; null when it did not.
   *
   * @param broken why it was cut off, where that is known
   */
  failure(broken?: unknown): RoostError | null {
    const said = this.trailers ?? this.headers;
    const code = said['grpc-status'];
    if (code === '0') return null;
    try {
      const failed = code === undefined ? this.statusWithout() : numbered(Number(code));
      const details = detailsOf(said['grpc-message']) ?? (broken instanceof Error ? broken.message : '');
      const metadata = Metadata.fromHttp2Headers(said);
      const error = new Error(`${String(failed)} ${status[failed]}: ${details}`);
      return errorOfStatus(Object.assign(error, { code: failed, details, metadata }));
    } catch (cause) {
      return notUnderstood(cause);
    }
  }

  /** A stream that ends without a status has most likely lost its process. */
  private statusWithout(): status {
    const { ':status': http } = this.headers as { ':status'?: number };
    return http === undefined || http === 200 || UNAVAILABLE.has(http) ? status.UNAVAILABLE : status.UNKNOWN;
  }
}

function numbered(code: number): status {
  return isStatus(code) ? code : status.UNKNOWN;
}

/** The error for an answer that makes no sense. */
export function notUnderstood(cause: unknown): RoostError {
  return new RoostError('internal', 'the worker failed', { cause });
}

function detailsOf(message: string | string[] | undefined): string | undefined {
  if (typeof message !== 'string') return undefined;
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
