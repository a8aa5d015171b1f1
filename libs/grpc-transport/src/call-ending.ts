import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';

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
    stream.once('response', (headers, flags) => {
      this.headers = headers;
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) this.trailers = headers;
    });
    stream.once('trailers', (trailers: IncomingHttpHeaders) => (this.trailers = trailers));
  }

  /**
   * What the call failed with; null when it did not.
   *
   * @param broken why it was cut off, where that is known
   */
  failure(broken?: unknown): RoostError | null {
    if (this.trailers?.['grpc-status'] === '0') return null;
    const said = this.trailers ?? this.headers;
    const code = numberOf(said);
    try {
      const failed = code ?? this.statusWithout();
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

/** The status of a call that has failed; success that is claimed before the end, or in other words, is no status. */
function numberOf({ 'grpc-status': written }: IncomingHttpHeaders): status | undefined {
  if (written === undefined) return undefined;
  const code = Number(written);
  if (code === 0) return undefined;
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
