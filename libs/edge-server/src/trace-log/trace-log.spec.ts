import { describe, expect, it } from '@jest/globals';

import type { PromptTokenizer } from '../request/prompt-tokenizer.js';
import { ServedRequest } from '../request/served-request.js';

import type { RotatingFile } from './rotating-file.js';
import { hashOfId } from './trace-line.js';
import { TraceLog } from './trace-log.js';

// Owns: what a line says and does not say, and that lines of a file build on each other only.

const client = { endpoint: 'chat', model: 'm', stream: true, bytes: Buffer.from('SECRET PROMPT') };

function served(conversationId: string | null, parent: string | null = null): ServedRequest {
  const identity = { conversationId, subagentAffinityId: parent, routingKey: parent, synthesised: false };
  return new ServedRequest('id', client as never, identity, Date.now(), new AbortController().signal);
}

interface Line {
  readonly keep?: number;
  readonly new: readonly string[] | null;
}

/** A log whose prompts have the given hashes, one after the other, and the texts that reach the file. */
function logOf(
  prompts: readonly (readonly bigint[] | null)[],
  add: (line: string) => boolean = () => true,
): { log: TraceLog; texts: string[]; lines: () => Line[] } {
  const texts: string[] = [];
  const file = {
    add: (line: string) => {
      const added = add(line);
      if (added) texts.push(line);
      return added;
    },
    flush: () => Promise.resolve(),
  };
  let next = 0;
  const blocksOf = (): Promise<BigUint64Array | null> => {
    const hashes = prompts[next++] ?? null;
    return Promise.resolve(hashes === null ? null : BigUint64Array.from(hashes));
  };
  const log = new TraceLog(file as unknown as RotatingFile, { blocksOf } as unknown as PromptTokenizer);
  return { log, texts, lines: () => texts.map((text) => JSON.parse(text) as Line) };
}

const hex = (...hashes: number[]): string[] => hashes.map((hash) => hash.toString(16).padStart(16, '0'));

describe('TraceLog', () => {
  it('says whose request it was, when, how large and how it went, and nothing of what it said', async () => {
    const { log, texts, lines } = logOf([[1n, 2n]]);
    const request = served('my-conversation', 'my-parent');
    request.record.usage = { promptTokens: 130, cachedTokens: 64, completionTokens: 5 };
    log.note(request, performance.now());
    await log.flush();
    expect(lines()).toMatchObject([
      {
        roost_trace: 1,
        conversation: hashOfId('my-conversation'),
        parent: hashOfId('my-parent'),
        model: 'm',
        in: 130,
        cached: 64,
        out: 5,
        outcome: 'ok',
        tokens_per_block: 64,
        keep: 0,
        new: hex(1, 2),
      },
    ]);
    expect(texts.join('')).not.toMatch(/SECRET|my-/);
  });

  it('builds on the latest prompt of the conversation alone', async () => {
    const { log, lines } = logOf([[1n, 2n], [1n, 9n], [1n, 2n, 3n], [1n, 2n], null]);
    log.note(served('a'), 0);
    log.note(served('b'), 0);
    log.note(served('a'), 0);
    log.note(served(null), 0);
    log.note(served('a'), 0);
    await log.flush();
    expect(lines().map(({ keep, new: added }) => [keep, added])).toEqual([
      [0, hex(1, 2)],
      [0, hex(1, 9)],
      [2, hex(3)],
      [0, hex(1, 2)],
      [undefined, null],
    ]);
  });

  it('builds on nothing in a new file', async () => {
    let call = 0;
    const { log, lines } = logOf([[1n], [1n, 2n], [1n, 2n, 3n]], () => (call += 1) !== 2);
    for (let index = 0; index < 3; index += 1) log.note(served('a'), 0);
    await log.flush();
    expect(lines().map(({ keep, new: added }) => [keep, added])).toEqual([
      [0, hex(1)],
      [0, hex(1, 2)],
      [2, hex(3)],
    ]);
  });

  it('tokenises nothing where nothing is logged', async () => {
    const log = new TraceLog(null, {} as PromptTokenizer);
    log.note(served('a'), 0);
    await expect(log.flush()).resolves.toBeUndefined();
  });
});
