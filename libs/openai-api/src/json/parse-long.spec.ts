// Owns: that a long conversation that is parsed in pieces is what it is in one, whatever a client may have made of it.
import { Buffer } from 'node:buffer';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { membersOf } from './members.js';
import { parseLong } from './parse-long.js';

/** What every byte of a body costs to look at is not of interest here: pieces of a few bytes have more seams. */
const PIECE = 24;

const content = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('},{"role":"user"', '"}, {"role":', '\\"},{\\"role\\":', ']}', '{"role":'),
  fc.jsonValue({ maxDepth: 2 }),
);
const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content });
const name = fc.constantFrom('messages', 'tools', 'model', '__proto__', '1', 'conversation_params');
const member = fc
  .tuple(name, fc.oneof(fc.array(message, { maxLength: 6 }), fc.jsonValue({ maxDepth: 2 })))
  .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
/** A body whose keys may come twice, written by one client or another. */
const body = fc
  .tuple(fc.array(member), fc.array(message, { maxLength: 8 }), fc.array(member), fc.constantFrom(null, 1, '\t'))
  .map(([before, messages, after, indent]) => {
    const text = `{${[...before, `"messages":${JSON.stringify(messages)}`, ...after].join(',')}}`;
    return indent === null ? text : text.replaceAll('},{', `}${indent === 1 ? ', ' : ',\n\t'}{`);
  });
/** Bodies with one piece replaced. */
const broken = fc
  .tuple(
    body,
    fc.nat(),
    fc.nat(4),
    fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '0', '\n', '\u0001', '},{"role":'),
  )
  .map(([text, at, length, piece]) => {
    const start = at % (text.length + 1);
    return text.slice(0, start) + piece + text.slice(start + length);
  });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('parseLong', () => {
  it.each([
    ['a body', body],
    ['a body that may be no JSON', broken],
  ])('makes of %s what JSON.parse makes of it, or nothing', (_, bodies) => {
    fc.assert(
      fc.property(bodies, fc.integer({ min: 1, max: PIECE }), (text, pieceBytes) => {
        const long = parseLong(Buffer.from(text), pieceBytes);
        const expected = long === null ? null : parsed(text.toWellFormed());
        expect(JSON.stringify(long?.body ?? null)).toBe(JSON.stringify(expected));
      }),
      { numRuns: 2_000 },
    );
  });

  it('tells where all members but messages are written, those that come again included', () => {
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: PIECE }), (text, pieceBytes) => {
        const outside = parseLong(Buffer.from(text), pieceBytes)?.outside;
        const others = [...membersOf(text.toWellFormed())].filter(({ key }) => key !== 'messages');
        const untold = others.filter((other) => outside?.every((part) => !part.includes(other.text)));
        expect(untold).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('tells of a place that is short, however long the conversation', () => {
    const messages = Array.from({ length: 1_000 }, () => '{"role":"user","content":"hi"}').join();
    const long = parseLong(Buffer.from(`{"model":"m","messages":[${messages}],"stream":true}`));
    expect(long?.outside.map(String)).toEqual([
      '{"model":"m","messages":[{"role":"user","content":"hi"}',
      '{"role":"user","content":"hi"}],"stream":true}',
    ]);
  });

  it.each([',', ', ', ' ,\n'])('is not in doubt about a conversation with %j between its messages', (comma) => {
    const messages = Array.from({ length: 20 }, (_, at) => `{"role":"user","content":"},{\\"role\\":${String(at)} ü"}`);
    const text = `{"model":"m","messages":[${messages.join(comma)}],"stream":true}`;
    const long = parseLong(Buffer.from(text), 100);
    expect(long?.body).toEqual(JSON.parse(text));
  });

  it.each(['\0', '\u000b', '\u000c', '\u001f', '\u00a0', '\ufeff', '/'])(
    'leaves a conversation with %j between two messages to JSON.parse, which refuses it',
    (character) => {
      const messages = Array.from({ length: 20 }, (_, at) => `{"role":"user","content":"${String(at)}"}`);
      for (const comma of [`,${character}`, `${character},`, ` ${character} ,`]) {
        const text = `{"messages":[${messages.join(comma)}]}`;
        expect(parsed(text)).toBeUndefined();
        expect(parseLong(Buffer.from(text), 100)).toBeNull();
      }
    },
  );

  it.each([
    ['a list in another field', '{"messages":[1],"tools":[LIST]}'],
    ['a list of that name inside another object', '{"metadata":{"messages":[LIST]}}'],
    ['no list', '{"role":1,"messages":"LIST"}'],
  ])('leaves %s to JSON.parse', (_, form) => {
    const list = Array.from({ length: 20 }, (__, at) => `{"role":"user","content":"${String(at)}"}`).join(',');
    const text = form.replaceAll('LIST', form.includes('"LIST"') ? list.replaceAll('"', '\\"') : list);
    expect(parsed(text)).toBeDefined();
    expect(parseLong(Buffer.from(text), 50)).toBeNull();
  });
});
