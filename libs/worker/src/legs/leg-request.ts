import type { ConversationTurn, Engine, EngineInfo, Sampling } from '@roost/engine';
import { EngineRefusal } from '@roost/engine';
import {
  decodeTokenIds,
  Endpoint,
  type GenerateRequest,
  type PrefillRequest,
  RoostError,
  type SamplingParams,
  type TokenizeRequest,
} from '@roost/protocol';

import type { RankRequest } from '../scheduling/rank-queue.js';

/** What both legs know of a request once its message has been read. */
export interface LegRequest {
  readonly prompt: Uint32Array;
  /** The most tokens that the whole answer may have. */
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly sampling: Sampling;
  readonly conversationId: string | null;
  readonly rankRequest: RankRequest;
}

/**
 * Reads a leg's message: the prompt's tokens (the edge's, else tokenised here) and the limits.
 *
 * @param subagentAffinityId verified
 * @throws RoostError that says what the client has to change
 */
export async function readLegRequest(
  engine: Engine,
  message: PrefillRequest | GenerateRequest,
  subagentAffinityId: string | null,
): Promise<LegRequest> {
  requireModel(engine.info, message);
  const prompt = await promptOf(engine, message);
  const sampling = message.samplingParams ?? DEFAULT_SAMPLING;
  const conversationId = message.conversationId ?? null;
  return {
    prompt,
    maxTokens: maxTokensOf(engine.info, prompt.length, sampling.maxTokens),
    stop: sampling.stop,
    sampling,
    conversationId,
    rankRequest: {
      numInputTokens: prompt.length,
      cachedTokens: engine.cachedTokens(prompt),
      conversationId,
      subagentAffinityId,
      attentionDpRank: message.schedulingParams?.attentionDpRank ?? null,
      attentionDpRelax: message.schedulingParams?.attentionDpRelax ?? null,
    },
  };
}

/**
 * The tokens of a prompt that nobody has tokenised yet, as a leg would make them.
 *
 * @throws RoostError that says what the client has to change, also where the prompt leaves no room for an answer
 */
export async function readPrompt(engine: Engine, message: TokenizeRequest): Promise<Uint32Array> {
  requireModel(engine.info, message);
  const prompt = await tokenized(engine, message);
  maxTokensOf(engine.info, prompt.length, undefined);
  return prompt;
}

function requireModel({ model: served }: EngineInfo, { model }: Pick<TokenizeRequest, 'model'>): void {
  if (model === served) return;
  throw new RoostError('model_not_found', `this worker serves ${served}, not ${model}`, { param: 'model' });
}

const DEFAULT_SAMPLING: SamplingParams = { stop: [], ignoreEos: false };

async function promptOf(engine: Engine, message: PrefillRequest | GenerateRequest): Promise<Uint32Array> {
  return message.promptTokenIds.length > 0 ? givenTokens(message.promptTokenIds) : await tokenized(engine, message);
}

async function tokenized(engine: Engine, message: Turn): Promise<Uint32Array> {
  try {
    return await engine.tokenize(turnOf(message));
  } catch (error) {
    throw refusalAsError(error);
  }
}

function givenTokens(bytes: Uint8Array): Uint32Array {
  try {
    return decodeTokenIds(bytes);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : 'these are no token ids';
    throw new RoostError('invalid_request', message, { param: 'prompt_token_ids', cause });
  }
}

type Turn = Pick<TokenizeRequest, 'endpoint' | 'body'>;

function turnOf({ endpoint, body }: Turn): ConversationTurn {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new RoostError('invalid_json', 'the request body is not JSON', { cause: error });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new RoostError('invalid_json', 'the request body is not a JSON object');
  }
  const kind = endpoint === Endpoint.ENDPOINT_COMPLETIONS ? 'completions' : 'chat';
  return { endpoint: kind, body: parsed as Record<string, unknown> };
}

/**
 * How many tokens an answer may have: what the client asked for, or the engine's default as far as it fits.
 *
 * @throws RoostError `context_length_exceeded` when prompt and answer are longer than the model's context
 */
function maxTokensOf(info: EngineInfo, promptTokens: number, asked: number | undefined): number {
  const room = info.maxSeqLen - promptTokens;
  const wanted = asked ?? 1;
  if (room < wanted) {
    const answer = asked === undefined ? 'an answer' : `${String(asked)} tokens of answer (max_tokens)`;
    throw new RoostError(
      'context_length_exceeded',
      `the model's context is ${String(info.maxSeqLen)} tokens; the prompt has ${String(promptTokens)} and leaves no room for ${answer}: shorten the prompt or lower max_tokens`,
      { param: asked === undefined ? 'messages' : 'max_tokens' },
    );
  }
  return asked ?? Math.min(room, info.defaultMaxTokens);
}

/** An engine's refusal as an error of the protocol; anything else as it is. */
export function refusalAsError(error: unknown): unknown {
  return error instanceof EngineRefusal
    ? new RoostError(error.code, error.message, { param: error.param, cause: error })
    : error;
}
