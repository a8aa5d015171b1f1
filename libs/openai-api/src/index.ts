export {
  type AnswerEnd,
  type AnswerHeader,
  answerId,
  type AnswerRenderer,
  createAnswerRenderer,
} from './answer/answer-renderer.js';
export { errorEnvelope, type ErrorEnvelope } from './answer/error-envelope.js';
export { type ClientRequest, parseClientRequest } from './request/client-request.js';
export type { ClientEndpoint, ClientRequestOptions } from './request/fields.js';
export type { PromptContent } from './request/prompt-content.js';
export type { ClientSampling } from './request/sampling.js';
export type { Streaming } from './request/streaming.js';
