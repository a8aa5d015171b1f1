import { Buffer } from 'node:buffer';

/** A kind of request: its name, and the body of the n-th request of a run, which no other request shares to the end. */
export interface Body {
  readonly name: string;
  readonly bodyOf: (n: number) => Buffer;
}

const WORDS =
  'the agent reads every file of the module and writes down what each function promises to its callers'.split(' ');

function prose(words: number, seed: number): string {
  return Array.from({ length: words }, (_, at) => WORDS[(at * 7 + seed) % WORDS.length]).join(' ');
}

function chat(messages: readonly object[], n: number): Buffer {
  const last = { role: 'user', content: `question ${String(n)}` };
  return Buffer.from(JSON.stringify({ model: 'roost-simulated', max_tokens: 1, messages: [...messages, last] }));
}

/** A short question. */
export const smallBody: Body = { name: 'small', bodyOf: (n) => chat([{ role: 'system', content: 'Be brief.' }], n) };

const history = Array.from({ length: 100 }, (_, at) => ({
  role: at % 2 === 0 ? 'user' : 'assistant',
  content: prose(445, at),
}));

/** An agent's hundredth turn: 250 KB of which all but the last message has been seen before. */
export const largeBody: Body = { name: '250 KB', bodyOf: (n) => chat(history, n) };
