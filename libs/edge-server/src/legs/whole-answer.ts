import type { ClientRequest } from '@roost/openai-api';
import { FinishReason, type PrefillResponse } from '@roost/protocol';

/** Whether a context leg's answer is all that the client is to get: no generation leg follows (reference 3.2). */
export function isWholeAnswer(
  { finishReason }: PrefillResponse,
  { sampling }: Pick<ClientRequest, 'sampling'>,
): boolean {
  const atLimit = finishReason === FinishReason.FINISH_REASON_LENGTH && sampling.maxTokens === 1;
  return finishReason === FinishReason.FINISH_REASON_STOP || atLimit;
}
