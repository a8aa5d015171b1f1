import { isObject, type JsonObject } from '../json/json-object.js';

import { invalid, unsupported } from './refusal.js';
import { readBoolean } from './sampling.js';

const KNOWN = new Set(['include_usage', 'include_obfuscation', 'continuous_usage_stats']);

/** How the client wants its answer delivered. */
export interface Streaming {
  /** Server-sent events instead of one JSON answer. */
  readonly stream: boolean;
  /** Whether the stream ends with a chunk that tells the usage. */
  readonly includeUsage: boolean;
}

/**
 * Reads `stream` and `stream_options`.
 *
 * @throws RoostError naming the field at fault; options without a stream are refused
 */
export function readStreaming(body: JsonObject): Streaming {
  const stream = readBoolean(body, 'stream');
  const options = body['stream_options'] ?? null;
  if (options === null) return { stream, includeUsage: false };
  if (!isObject(options)) throw invalid('stream_options', 'stream_options must be an object');
  if (!stream) throw invalid('stream_options', 'stream_options is allowed only when stream is true');
  const unknown = Object.keys(options).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) {
    const path = `stream_options.${unknown.slice(0, 64)}`;
    throw unsupported(path, `${path} is not a known parameter`);
  }
  if (readBoolean(options, 'continuous_usage_stats', 'stream_options.continuous_usage_stats')) {
    throw unsupported(
      'stream_options.continuous_usage_stats',
      'stream_options.continuous_usage_stats is not supported',
    );
  }
  return { stream, includeUsage: readBoolean(options, 'include_usage', 'stream_options.include_usage') };
}
