import { type ConversationTurn, EngineRefusal } from '@roost/engine';
import { InvalidPrompt, type PromptEncoder, tokenizePrompt } from '@roost/prompt';

/**
 * The tokens of a request's prompt, as every edge that tokenises for this engine makes them too.
 *
 * @param maxTokens of the model's context; a text of more is refused as soon as that is known
 * @throws EngineRefusal naming the field at fault
 */
export async function tokenizeTurn(
  encoder: PromptEncoder,
  turn: ConversationTurn,
  maxTokens = Infinity,
): Promise<Uint32Array> {
  try {
    return await tokenizePrompt(encoder, turn, maxTokens);
  } catch (error) {
    if (!(error instanceof InvalidPrompt)) throw error;
    throw new EngineRefusal(error.code, error.message, error.param);
  }
}
