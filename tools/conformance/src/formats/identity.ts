import { type Headers, identify, type Identity } from '@roost/affinity-auth';
import { ERRORS, RoostError } from '@roost/protocol';

import { compare } from '../compare.js';
import type { Fields } from '../document/fields.js';
import { ShapeError } from '../document/shape-error.js';
import type { Mismatch, VectorFormat } from '../vector-format.js';

import { listOfCases } from './list-of-cases.js';

/** `identity*.json`: who a client's request comes from, or how it is refused (reference 3.1, 3.5, 8.1). */
export const identity: VectorFormat = {
  prefix: 'identity',
  // As the edge parses bodies.
  parse: (text) => JSON.parse(text) as unknown,
  cases: (document) => listOfCases(document, replay),
};

/** What a refused client is told. */
interface Refusal {
  readonly error_status: number;
  readonly error: string;
}

const KNOWN = [
  'conversation_id',
  'conversation_id_prefix',
  'subagent_affinity_id',
  'routing_key',
  'error_status',
  'error_contains',
];

function replay(fields: Fields): readonly Mismatch[] {
  const expect = fields.object('expect');
  const unknown = expect.names().find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) throw new ShapeError(`${expect.where}.${unknown} is nothing that can be checked`);
  const got = identifyOrRefuse(fields);
  return expect.has('error_status') ? compareRefusal(expect, got) : compareIdentity(expect, got);
}

function identifyOrRefuse(fields: Fields): Identity | Refusal {
  const body = fields.object('body');
  const question = {
    headers: readHeaders(fields.object('headers')),
    conversationParams: body.has('conversation_params') ? body.any('conversation_params') : undefined,
    parentHeader: fields.textOrNull('conversation_affinity_header_for_subagents'),
    newId: () => 'id-of-this-replay',
  };
  try {
    return identify(question);
  } catch (error) {
    if (!(error instanceof RoostError)) throw error;
    return { error_status: ERRORS[error.code].http, error: error.message };
  }
}

function readHeaders(fields: Fields): Headers {
  return Object.fromEntries(fields.names().map((name) => [name, fields.textsOrText(name) ?? undefined]));
}

function compareRefusal(expect: Fields, got: Identity | Refusal): readonly Mismatch[] {
  const status = expect.number('error_status');
  const contained = expect.text('error_contains');
  if (!('error' in got)) return [{ at: 'error_status', expected: status, got: show(got) }];
  return [
    ...compare('error_status', status, got.error_status),
    ...(got.error.includes(contained) ? [] : [{ at: 'error_contains', expected: contained, got: got.error }]),
  ];
}

function compareIdentity(expect: Fields, got: Identity | Refusal): readonly Mismatch[] {
  const parent = expect.any('subagent_affinity_id');
  const key = expect.any('routing_key');
  const prefix = expect.textOrNull('conversation_id_prefix');
  const id = prefix === null ? expect.any('conversation_id') : null;
  if ('error' in got)
    return [
      {
        at: 'identity',
        expected: { conversation_id: prefix ?? id, subagent_affinity_id: parent, routing_key: key },
        got,
      },
    ];
  return [
    ...(prefix === null ? compare('conversation_id', id, got.conversationId) : comparePrefix(prefix, got)),
    ...compare('subagent_affinity_id', parent, got.subagentAffinityId),
    ...compare('routing_key', key, got.routingKey),
  ];
}

function comparePrefix(prefix: string, { conversationId, subagentAffinityId }: Identity): readonly Mismatch[] {
  const isMadeUp =
    conversationId !== null &&
    conversationId.startsWith(prefix) &&
    conversationId !== prefix &&
    conversationId !== subagentAffinityId;
  return isMadeUp ? [] : [{ at: 'conversation_id_prefix', expected: prefix, got: conversationId }];
}

function show({ conversationId, subagentAffinityId, routingKey }: Identity): unknown {
  return { conversation_id: conversationId, subagent_affinity_id: subagentAffinityId, routing_key: routingKey };
}
