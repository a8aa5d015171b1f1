// Owns what tokens stand for, in both kinds of vocabulary.
import { describe, expect, it } from '@jest/globals';

import { UnsupportedModel, Vocabulary } from './vocabulary.js';

const text = (vocabulary: Vocabulary, ...tokens: number[]): string =>
  Buffer.from(vocabulary.detokenize(tokens)).toString();

describe('Vocabulary', () => {
  it('reads byte-level tokens, a character in two of them included', () => {
    const vocabulary = new Vocabulary({
      model: 'gpt2',
      tokens: ['<|im_end|>', 'Ġthe', 'Ċ', 'Ã', '¼', '<added>'],
      token_type: [3, 1, 1, 1, 1, 4],
    });
    expect(text(vocabulary, 1, 2, 3, 4, 5, 0)).toBe(' the\nü<added>');
    expect(vocabulary.controlTexts).toEqual(['<|im_end|>']);
  });

  it('reads SentencePiece tokens and single bytes', () => {
    const vocabulary = new Vocabulary({
      model: 'llama',
      tokens: ['<s>', '▁the', '<0xC3>', '<0xBC>'],
      token_type: [3, 1, 6, 6],
    });
    expect(text(vocabulary, 0, 1, 2, 3)).toBe(' theü');
  });

  it('refuses other vocabularies by name', () => {
    expect(() => new Vocabulary({ model: 'bert', tokens: [] })).toThrow(UnsupportedModel);
    expect(() => new Vocabulary({ model: 'bert', tokens: [] })).toThrow('"bert" is not supported');
  });
});
