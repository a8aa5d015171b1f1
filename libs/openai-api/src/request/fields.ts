import { type JsonObject, isObject } from '../json/json-object.js';

import { aBoolean, anObject, anything, aString, empty, type FieldCheck, never, only } from './field-check.js';
import { unsupported } from './refusal.js';
import { checkTools } from './tools.js';

/** The two kinds of request. */
export type ClientEndpoint = 'chat' | 'completions';

/** What a deployment lets its clients do. */
export interface ClientRequestOptions {
  /** `allow_request_chat_template`: whether a client may bring a chat template, which is code. */
  readonly allowChatTemplate: boolean;
}

const responseFormat: FieldCheck = (value, field) => {
  if (!isObject(value) || value['type'] !== 'text') {
    throw unsupported(field, `${field} is supported only with the type "text"`);
  }
};

const modalities: FieldCheck = (value, field) => {
  if (!Array.isArray(value) || value.some((item) => item !== 'text')) {
    throw unsupported(field, `${field} is supported only as ["text"]`);
  }
};

const COMMON: Readonly<Record<string, FieldCheck>> = {
  // Read elsewhere.
  model: anything,
  stream: anything,
  stream_options: anything,
  max_tokens: anything,
  stop: anything,
  temperature: anything,
  top_p: anything,
  seed: anything,
  ignore_eos: anything,
  conversation_params: anything,
  disaggregated_params: anything,
  // Of no consequence for the answer.
  user: aString,
  metadata: anObject,
  client_metadata: anything,
  store: aBoolean,
  service_tier: aString,
  safety_identifier: aString,
  prompt_cache_key: aString,
  prompt_cache_retention: aString,
  // Of consequence, unless they say what happens anyway.
  n: only(1),
  best_of: only(1),
  presence_penalty: only(0),
  frequency_penalty: only(0),
  logit_bias: empty,
  response_format: responseFormat,
  top_k: only(0, -1),
  min_p: only(0),
  min_tokens: only(0),
  repetition_penalty: only(1),
  length_penalty: only(1),
  early_stopping: only(false),
  use_beam_search: only(false),
  stop_token_ids: empty,
  include_stop_str_in_output: only(false),
  skip_special_tokens: only(true),
  spaces_between_special_tokens: only(true),
  detokenize: only(true),
  truncate_prompt_tokens: never,
  cache_salt: never,
};

const CHAT: Readonly<Record<string, FieldCheck>> = {
  messages: anything,
  prompt_token_ids: anything,
  max_completion_tokens: anything,
  tools: checkTools,
  tool_choice: only('auto', 'none'),
  // Answers are text: there is never more than one tool call in one.
  parallel_tool_calls: aBoolean,
  functions: empty,
  function_call: only('auto', 'none'),
  logprobs: only(false),
  top_logprobs: only(0),
  modalities,
  audio: never,
  // Only ever makes an answer come sooner.
  prediction: anything,
  web_search_options: never,
  reasoning_effort: only('none'),
  verbosity: only('medium'),
  documents: empty,
  add_generation_prompt: only(true),
  continue_final_message: only(false),
  add_special_tokens: only(false),
  chat_template: never,
  chat_template_kwargs: never,
};

const COMPLETIONS: Readonly<Record<string, FieldCheck>> = {
  prompt: anything,
  echo: only(false),
  suffix: empty,
  logprobs: never,
  add_special_tokens: only(true),
};

const TEMPLATE: Readonly<Record<string, FieldCheck>> = { chat_template: aString, chat_template_kwargs: anObject };

const CHECKS = {
  chat: new Map(Object.entries({ ...COMMON, ...CHAT })),
  completions: new Map(Object.entries({ ...COMMON, ...COMPLETIONS })),
};
const CHAT_WITH_TEMPLATE = new Map(Object.entries({ ...COMMON, ...CHAT, ...TEMPLATE }));

/**
 * Looks at every field of a request, a null one counting as absent. What would change the answer and is not supported is
 * refused rather than ignored, and so is a name that is not known: a misspelt field changes an answer, too.
 *
 * @throws RoostError `unsupported_parameter` or `invalid_request`, naming the field
 */
export function checkFields(endpoint: ClientEndpoint, body: JsonObject, options: ClientRequestOptions): void {
  const checks = endpoint === 'chat' && options.allowChatTemplate ? CHAT_WITH_TEMPLATE : CHECKS[endpoint];
  for (const field of Object.keys(body)) {
    const check = checks.get(field);
    if (check === undefined) {
      const name = field.slice(0, 64);
      throw unsupported(name, `${name} is not a known parameter of this endpoint`);
    }
    const value = body[field];
    if (value !== null) check(value, field);
  }
}
