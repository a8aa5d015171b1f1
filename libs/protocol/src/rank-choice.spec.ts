import { expect, it } from '@jest/globals';

import { RankChoice } from './generated/roost/worker/v1/worker.js';

// Owns: that a rank's choice is on the wire what it was when its fields had other names.

it('is read and written as workers of earlier versions do', () => {
  const bytes = Buffer.from('0a06737469636b7912050805108c60120012020801', 'hex');
  const choice: RankChoice = {
    decision: 'sticky',
    ranks: [
      { activeRequests: 5, activeTokens: 12_300 },
      { activeRequests: 0, activeTokens: 0 },
      { activeRequests: 1, activeTokens: 0 },
    ],
  };
  expect(RankChoice.decode(bytes)).toEqual(choice);
  expect(Buffer.from(RankChoice.encode(choice).finish())).toEqual(bytes);
});
