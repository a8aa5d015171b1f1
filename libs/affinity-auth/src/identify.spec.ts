// Owns: reference 3.1, 8.1.1-8.1.14; limits and encodings of ids.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Headers } from './header-value.js';
import { identify, type Identity, MAX_ID_BYTES } from './identify.js';

const PARENT = 'X-Parent';

function identityOf(headers: Headers, conversationParams?: unknown, parentHeader: string | null = PARENT): Identity {
  return identify({ headers, conversationParams, parentHeader, newId: () => 'new' });
}

function mainAgent(id: string | null): Identity {
  return { conversationId: id, subagentAffinityId: null, routingKey: id, synthesised: false };
}

/** What Node makes of a header whose bytes are UTF-8. */
function onTheWire(text: string): string {
  return Buffer.from(text).toString('latin1');
}

describe('the conversation', () => {
  it.each<[string, Headers, string | null]>([
    ['8.1.1', { 'X-Session-ID': 's' }, 's'],
    ['8.1.2', { 'X-Correlation-ID': 'c' }, 'c'],
    ['8.1.2', { 'x-session-affinity': 'a' }, 'a'],
    ['8.1.2', { 'x-multi-turn-session-id': 't' }, 't'],
    [
      '8.1.3',
      { 'x-multi-turn-session-id': 't', 'x-session-affinity': 'a', 'X-Correlation-ID': 'c', 'X-Session-ID': 's' },
      's',
    ],
    ['8.1.4', { 'x-multi-turn-session-id': 't', 'x-session-affinity': 'a' }, 'a'],
    ['8.1.5', { 'X-Session-ID': ' ', 'X-Correlation-ID': 'c' }, 'c'],
    ['8.1.6', { 'X-Session-ID': '', 'X-Correlation-ID': ' \t' }, null],
    ['claude code first', { 'x-session-id': 's', 'x-claude-session-id': 'c', 'X-Claude-Code-Session-Id': 'cc' }, 'cc'],
    ['repeated: the first that is not blank', { 'x-session-id': [' ', 's1', 's2'] }, 's1'],
    ['absent', { 'x-session-id': undefined, host: 'h' }, null],
    ['a longer name is another name', { 'x-session-id-2': 's' }, null],
  ])('%s: is read from the headers %p', (_, headers, id) => {
    expect(identityOf(headers)).toEqual(mainAgent(id));
  });

  it('8.1.7: is the body’s when the body has one', () => {
    expect(identityOf({ 'x-session-id': 'h' }, { conversation_id: ' b ' })).toEqual(mainAgent('b'));
    expect(identityOf({ 'x-session-id': 'h' }, null)).toEqual(mainAgent('h'));
    expect(identityOf({}, { conversation_id: 42 })).toEqual(mainAgent('42'));
  });

  it.each<[unknown, string]>([
    [{ conversation_id: '' }, 'conversation_params.conversation_id'],
    [{ conversation_id: ' \u3000' }, 'conversation_params.conversation_id'],
    [{ conversation_id: null }, 'conversation_params.conversation_id'],
    [{ conversation_id: true }, 'conversation_params.conversation_id'],
    [{ conversation_id: ['a'] }, 'conversation_params.conversation_id'],
    [{ conversation_id: 'half \ud800' }, 'conversation_params.conversation_id'],
    [{ subagent_affinity_id: 'victim' }, 'conversation_params.conversation_id'],
    [{ conversation_id: 'a', tier: 1 }, 'conversation_params.tier'],
    [JSON.parse('{"conversation_id":"a","__proto__":1}'), 'conversation_params.__proto__'],
    [[], 'conversation_params'],
    ['id', 'conversation_params'],
    [7, 'conversation_params'],
  ])('is not taken from the body %p', (params, param) => {
    expect(() => identityOf({ 'x-session-id': 'h' }, params)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param, message: expect.stringContaining(param) }),
    );
  });

  it('has one text, whether it came in a header or in the body', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), (id) => {
        expect(identityOf({ 'x-session-id': onTheWire(`.${id}.`) })).toEqual(
          identityOf({}, { conversation_id: `.${id}.` }),
        );
      }),
    );
  });

  it('keeps header bytes that are not UTF-8 as one character each, and text that was decoded before', () => {
    expect(identityOf({ 'x-session-id': 'caf\u00e9' }).conversationId).toBe('caf\u00e9');
    expect(identityOf({ 'x-session-id': '\u00e9\u4e2d' }).conversationId).toBe('\u00e9\u4e2d');
  });

  it('does not lose a last byte that looks like white space before decoding', () => {
    expect(identityOf({ 'x-session-id': onTheWire('voil\u00e0') }).conversationId).toBe('voil\u00e0');
  });
});

describe('the parent session', () => {
  it('8.1.9: is what a sub-agent is routed by; its own conversation stays its own', () => {
    const subAgent = { conversationId: 'own', subagentAffinityId: 'p', routingKey: 'p', synthesised: false };
    expect(identityOf({ 'x-parent': 'p' }, { conversation_id: 'own' })).toEqual(subAgent);
    expect(identityOf({ 'X-PARENT': ' p ', 'x-session-id': 'own' })).toEqual(subAgent);
  });

  it('8.1.10: is none for a main agent', () => {
    expect(identityOf({ 'x-session-id': 'own' })).toEqual(mainAgent('own'));
  });

  it.each([null, '', '  '])('8.1.11: is not read when the header name is %p', (name) => {
    expect(identityOf({ 'x-parent': 'p', '': 'p', 'x-session-id': 'own' }, undefined, name)).toEqual(mainAgent('own'));
  });

  it('8.1.12: alone makes up a conversation for this one request', () => {
    let count = 0;
    const question = {
      headers: { 'x-parent': 'p' },
      conversationParams: undefined,
      parentHeader: ' x-PARENT ',
      newId: (): string => String((count += 1)),
    };
    expect(identify(question)).toEqual({
      conversationId: 'subagent:1',
      subagentAffinityId: 'p',
      routingKey: 'p',
      synthesised: true,
    });
    expect(identify(question).conversationId).toBe('subagent:2');
  });

  it.each([PARENT, null])('8.1.13: cannot be set in the body, header name %p', (name) => {
    const params = { conversation_id: 'own', subagent_affinity_id: 'victim' };
    expect(identityOf({}, params, name)).toEqual(mainAgent('own'));
    expect(identityOf({ 'x-trtllm-subagent-affinity-id': 'victim' }, params, name)).toEqual(mainAgent('own'));
  });

  it('8.1.14: is none when its header is blank', () => {
    expect(identityOf({ 'x-parent': ' \t', 'x-session-id': 'own' })).toEqual(mainAgent('own'));
  });

  it('may equal the own conversation', () => {
    expect(identityOf({ 'x-parent': 'p', 'x-session-id': 'p' })).toMatchObject({
      subagentAffinityId: 'p',
      routingKey: 'p',
    });
  });
});

describe('the length of an id', () => {
  const longest = 'x'.repeat(MAX_ID_BYTES);

  it('may be 512 bytes, not counting white space around it', () => {
    expect(identityOf({ 'x-session-id': ` ${longest} `, 'x-parent': longest }).subagentAffinityId).toBe(longest);
  });

  it.each<[string, Headers, unknown]>([
    ['x-session-id', { 'x-session-id': `${longest}x` }, undefined],
    ['x-parent', { 'x-parent': `${longest}x` }, undefined],
    ['conversation_params.conversation_id', {}, { conversation_id: `${longest}x` }],
    ['conversation_params.conversation_id', {}, { conversation_id: '\u4e2d'.repeat(171) }],
  ])('is refused beyond that, and the refusal names %s and the limit', (param, headers, params) => {
    expect(() => identityOf(headers, params)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param, message: expect.stringMatching(`${param}.*512`) }),
    );
  });
});

it('finds a routing key exactly when there is an id, whatever comes in', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (session, parent) => {
      const identity = identityOf({ 'x-session-id': session, 'x-parent': parent });
      expect(identity.routingKey).toBe(identity.subagentAffinityId ?? identity.conversationId);
      expect(identity.conversationId === null).toBe(identity.routingKey === null);
      expect(identity.routingKey).not.toBe('');
    }),
  );
});
