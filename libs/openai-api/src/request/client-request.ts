import type { JsonObject } from '../json/json-object.js';
import { parseObject } from '../json/parse-object.js';

import { checkFields, type ClientEndpoint, type ClientRequestOptions } from './fields.js';
import { readMessages } from './messages.js';
import { dropPrivateFields, readConversationParams } from './private-fields.js';
import type { PromptContent } from './prompt-content.js';
import { readPrompt } from './prompt.js';
import { invalid } from './refusal.js';
import { type ClientSampling, readSampling } from './sampling.js';
import { readStreaming, type Streaming } from './streaming.js';

/** A client's request, checked as a whole. */
export interface ClientRequest extends PromptContent, Streaming {
  readonly endpoint: ClientEndpoint;
  readonly model: string;
  /** What is forwarded: the client's own bytes, unless they held fields that only an edge may set. */
  readonly bytes: Buffer;
  /** Not checked; undefined or null when the body has none. */
  readonly conversationParams: unknown;
  readonly sampling: ClientSampling;
}

/**
 * Reads the body of a request to `/v1/chat/completions` or `/v1/completions` (reference 3.1). Whatever would change the
 * answer and is not supported is refused, not ignored.
 *
 * @throws RoostError `invalid_json`, `invalid_request` or `unsupported_parameter`, naming the field at fault; nothing else,
 * whatever the bytes are
 */
export function parseClientRequest(
  endpoint: ClientEndpoint,
  bytes: Buffer,
  options: ClientRequestOptions,
): ClientRequest {
  const parsed = parseObject(bytes);
  const { text, body } = parsed;
  checkFields(endpoint, body, options);
  // What has been parsed is not kept: a conversation in memory while its answer is made costs more than the parsing.
  const again = (): JsonObject => parseObject(bytes).body;
  return {
    endpoint,
    model: readModel(body),
    bytes: dropPrivateFields(parsed, bytes),
    conversationParams: readConversationParams(body, text),
    sampling: readSampling(body, text),
    ...readStreaming(body),
    ...(endpoint === 'chat' ? readMessages(body, again) : readPrompt(body, again)),
  };
}

/** Of characters: a name is quoted in messages and logs. */
const MAX_MODEL_LENGTH = 256;

function readModel(body: JsonObject): string {
  const model = body['model'] ?? undefined;
  if (model === undefined) throw invalid('model', 'model is required');
  if (typeof model !== 'string' || model === '') throw invalid('model', 'model must be a string that is not empty');
  if (model.length > MAX_MODEL_LENGTH) {
    throw invalid('model', `model must not be longer than ${String(MAX_MODEL_LENGTH)} characters`);
  }
  return model;
}
