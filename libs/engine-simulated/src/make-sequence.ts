import { TokenChain } from '@roost/block-cache';
import { EngineRefusal, type ImportJob } from '@roost/engine';

import { SimulatedAnswer } from './answer/simulated-answer.js';
import { Sequence } from './core/sequence.js';
import type { SimulatedEngineOptions } from './options.js';

/**
 * The sequence of a job.
 *
 * @param canEverFit whether so many tokens fit into an empty rank
 * @throws RangeError for a rank that is not there or an answer of nothing
 * @throws EngineRefusal when prompt and answer are longer than the engine can hold, with the numbers
 */
export function makeSequence(
  options: SimulatedEngineOptions,
  job: ImportJob,
  kind: Sequence['kind'],
  canEverFit: (tokens: number) => boolean,
): Sequence<TokenChain> {
  const { rank, prompt, maxTokens, cacheSalt } = job;
  if (!(rank >= 0 && rank < options.numRanks)) {
    throw new RangeError(`rank must be in range [0, ${String(options.numRanks)}), got ${String(rank)}`);
  }
  if (prompt.length === 0) {
    throw new EngineRefusal('invalid_request', 'the prompt is empty', 'prompt');
  }
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new RangeError(`maxTokens must be a positive integer, got ${String(maxTokens)}`);
  }
  const sum = `${String(prompt.length)} prompt tokens and ${String(maxTokens)} answer tokens`;
  if (prompt.length + maxTokens > options.maxSeqLen) {
    throw new EngineRefusal(
      'context_length_exceeded',
      `${sum} exceed the context of ${String(options.maxSeqLen)} tokens: shorten the prompt or lower max_tokens`,
    );
  }
  if (!canEverFit(prompt.length + maxTokens)) {
    throw new EngineRefusal(
      'context_length_exceeded',
      `${sum} exceed the KV cache of ${String(options.capacityTokens)} tokens: shorten the prompt or lower max_tokens`,
    );
  }
  const answer = new SimulatedAnswer(prompt);
  const chain = new TokenChain(prompt, options.tokensPerBlock, cacheSalt);
  return new Sequence({ kind, chain, maxTokens }, (index) => answer.tokenAt(index, false));
}
