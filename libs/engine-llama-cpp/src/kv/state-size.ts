import type { LlamaSequence } from '../runtime/node-llama-cpp.js';

import type { StateFiles } from './state-files.js';

/** How large the states of a context's sequences are. */
export interface StateSize {
  readonly fixedBytes: number;
  readonly bytesPerToken: number;
}

/** Bytes of the state of so many tokens. */
export function stateBytes({ fixedBytes, bytesPerToken }: StateSize, numTokens: number): number {
  return fixedBytes + bytesPerToken * numTokens;
}

/** Measures states of one and two tokens in a sequence, and leaves it empty. */
export async function measureState(sequence: LlamaSequence, files: StateFiles): Promise<StateSize> {
  const sizeAfterOneMore = (): Promise<number> =>
    files.withFile(async (file) => {
      await sequence.controlledEvaluate([0]);
      return (await sequence.saveStateToFile(file)).fileSize;
    });
  const one = await sizeAfterOneMore();
  const bytesPerToken = (await sizeAfterOneMore()) - one;
  await sequence.clearHistory();
  return { fixedBytes: one - bytesPerToken, bytesPerToken };
}
