import { describe, expect, it } from '@jest/globals';
import { createColors } from 'picocolors';

import { messageOfLine, parseLogLine } from './log-line.js';
import { colorsFor, LogView, type Verbosity } from './log-view.js';

const plain = createColors(false);
const view = (verbosity: Verbosity, colors = plain): LogView => new LogView(['edge', 'context-1'], verbosity, colors);

const entry = (level: string, more: object = {}): string =>
  JSON.stringify({ level, time: '2026-11-29T12:34:56.789Z', app: 'edge', ...more, msg: 'hello' });

const request = entry('info', {
  request_id: 'f00',
  endpoint: 'chat',
  conversation_id: 'sub-1',
  subagent_affinity_id: 'parent-1',
  outcome: 'ok',
  context: { instance: '127.0.0.1:8201', rank: 1, decision: 'bound', attempts: 1 },
  generation: { instance: '127.0.0.1:8301', rank: 0, decision: 'new', attempts: 2 },
  prompt_tokens: 2000,
  cached_tokens: 1984,
  completion_tokens: 48,
  ttft_ms: 30.5,
  total_ms: 700,
});

describe('LogView', () => {
  it('puts the name before every line, padded to the longest', () => {
    expect(view('normal').format('edge', 'plain text')).toBe('edge      plain text');
    expect(view('normal').format('context-1', 'plain text')).toBe('context-1 plain text');
  });

  it('makes a log entry readable: time, level, message, what else it says', () => {
    expect(view('normal').format('edge', entry('warn', { instance: 'a:1', reason: 'no answer', tries: 2 }))).toBe(
      'edge      12:34:56.789 WARN  hello instance=a:1 reason="no answer" tries=2',
    );
    expect(view('normal').format('edge', entry('error', { err: { message: 'broken', stack: 'at x' } }))).toBe(
      'edge      12:34:56.789 ERROR hello err="broken"',
    );
  });

  it.each<[Verbosity, string]>([
    ['normal', 'a request'],
    ['verbose', 'fields'],
  ])('shows what a client has written as it is, and obeys none of it: %s, %s', (verbosity) => {
    const id = 'x\u001b[2Jy\nz\u0085\u202e\u2028';
    const line = view(verbosity).format('edge', JSON.stringify({ ...JSON.parse(request), conversation_id: id }));
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
    expect(line).toMatch(/x\\u001b\[2Jy(\\n|\\u000a)z\\u0085\\u202e\\u2028/);
  });

  it('says of a request how it ended, whose it was, where it ran, and what it took', () => {
    expect(view('normal').format('edge', request)).toBe(
      'edge      12:34:56.789 INFO  hello chat ok | sub-1 | parent parent-1 | context 127.0.0.1:8201#1 bound | ' +
        'generation 127.0.0.1:8301#0 new (2 attempts) | prompt 2000 (1984 cached) | answer 48 | first token 30.5 ms | ' +
        'total 700 ms | id f00',
    );
    const failed = entry('info', {
      request_id: 'f00',
      endpoint: 'chat',
      outcome: 'overloaded',
      error: 'queue is full',
      failed_on: '127.0.0.1:8201',
    });
    expect(view('normal').format('edge', failed)).toBe(
      'edge      12:34:56.789 INFO  hello chat overloaded | "queue is full" | failed on 127.0.0.1:8201 | id f00',
    );
  });

  it('says all that it was told with --verbose', () => {
    expect(view('verbose').format('edge', request)).toContain('context={"instance":"127.0.0.1:8201","rank":1');
  });

  it.each<[Verbosity, boolean[]]>([
    ['verbose', [true, true, true, true, true, true]],
    ['normal', [false, false, true, true, true, true]],
    ['quiet', [false, false, false, false, true, true]],
  ])('%s shows its part of: debug, info, a request, warn, error, text', (verbosity, shown) => {
    const lines = [entry('debug'), entry('info'), request, entry('warn'), entry('error'), 'Error: text'];
    expect(lines.map((line) => view(verbosity).format('edge', line) !== undefined)).toEqual(shown);
  });

  it('gives neighbours different colours, and none without colours', () => {
    const coloured = view('normal', createColors(true));
    const [edge, context] = ['edge', 'context-1'].map((name) => coloured.format(name, 'x')?.slice(0, 5));
    expect(edge).toContain('\u001b[');
    expect(edge).not.toBe(context);
    expect(view('normal').format('edge', 'x')).not.toContain('\u001b');
  });
});

describe('colorsFor', () => {
  it('colours a terminal alone, and not against NO_COLOR', () => {
    expect(colorsFor({ isTTY: true }, {}).isColorSupported).toBe(true);
    expect(colorsFor({}, {}).isColorSupported).toBe(false);
    expect(colorsFor({ isTTY: true }, { NO_COLOR: '1' }).isColorSupported).toBe(false);
  });
});

describe('parseLogLine', () => {
  it.each(['', 'text', '{', '{"no":"level"}', '[1]', '{"level":30}'])('takes %j for text', (line) => {
    expect(parseLogLine(line)).toEqual({ kind: 'text', text: line });
  });
});

describe('messageOfLine', () => {
  it('keeps the message of an error that nobody caught, and nothing of what is printed around it', () => {
    const printed = [
      'file:///app/main.js:3',
      '  throw new Error("x")',
      '        ^',
      '',
      'Error: no such model',
      '    at main (file:///app/main.js:3:9)',
      '}',
      'Node.js v24.21.0',
    ];
    expect(printed.map(messageOfLine).filter((message) => message !== '')).toEqual(['Error: no such model']);
  });

  it('is the message of a log entry', () => {
    expect(messageOfLine(entry('error'))).toBe('hello');
  });
});
