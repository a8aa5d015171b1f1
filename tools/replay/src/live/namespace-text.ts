import type { GeneratedLine } from '@roost/replay';

import { wordOf } from './block-text.js';

/** A message of a chat. */
export interface TextMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/**
 * The prompt of a generated line as messages, one for each part: the first is the system's. A token of a namespace is a
 * word, the same for everybody, so real tokenizers and engines see as much in common as the line says.
 */
export function messagesOf({ prefix }: Pick<GeneratedLine, 'prefix'>): readonly TextMessage[] {
  return prefix.map(({ ns, len }, index) => ({ role: index === 0 ? 'system' : 'user', content: wordsOf(ns, len) }));
}

/** The first so many words of a namespace. */
function wordsOf(namespace: string, count: number): string {
  const start = hashOf(namespace);
  return Array.from({ length: count }, (_, at) => wordOf(mix(start + Math.imul(at, 0x9e3779b9)))).join(' ');
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
