import {
  type AffinityPayload,
  affinityJson,
  type HandoffPayload,
  handoffJson,
  type ServerRole,
  signAffinity,
  signHandoff,
  verifyAffinity,
  verifyHandoff,
} from '@roost/affinity-auth';

import { compare } from '../compare.js';
import { Fields } from '../document/fields.js';
import { parseJson } from '../document/parse-json.js';
import type { Mismatch, VectorCase, VectorFormat } from '../vector-format.js';

/** `signatures*.json`: canonical JSON and HMAC of affinity and handoff payloads (reference 4.3). */
export const signatures: VectorFormat = {
  prefix: 'signatures',
  parse: parseJson,
  cases: (document) => {
    const file = new Fields(document, 'file');
    return [
      ...file
        .list('subagent_affinity')
        .map((value, index) => makeCase('subagent_affinity', index, value, replayAffinity)),
      ...file.list('kv_transfer').map((value, index) => makeCase('kv_transfer', index, value, replayHandoff)),
    ];
  },
};

function makeCase(
  list: string,
  index: number,
  value: unknown,
  replay: (fields: Fields) => readonly Mismatch[],
): VectorCase {
  return { label: `${list}[${String(index)}]`, replay: () => replay(new Fields(value, 'case')) };
}

function replayAffinity(fields: Fields): readonly Mismatch[] {
  const key = fields.text('key');
  const payload: AffinityPayload = {
    // Signed as it stands: roles that Roost has no worker for have signatures too.
    role: fields.text('role') as ServerRole,
    model: fields.text('model'),
    conversationId: fields.textOrNull('conversation_id'),
    subagentAffinityId: fields.text('subagent_affinity_id'),
    requestType: fields.textOrNull('request_type'),
    disaggRequestId: fields.bigIntegerOrNull('disagg_request_id'),
  };
  const signature = fields.text('signature');
  return [
    ...compare('canonical_json', fields.text('canonical_json'), affinityJson(payload)),
    ...compare('signature', signature, signAffinity(key, payload)),
    ...compare('verification of the signature', true, verifyAffinity([key], payload, signature)),
  ];
}

function replayHandoff(fields: Fields): readonly Mismatch[] {
  const key = fields.text('key');
  const payload: HandoffPayload = {
    ctxInfoEndpoint: fields.textsOrText('ctx_info_endpoint'),
    encodedOpaqueState: fields.textOrNull('encoded_opaque_state'),
  };
  const signature = fields.text('signature');
  return [
    ...compare('canonical_json', fields.text('canonical_json'), handoffJson(payload)),
    ...compare('signature', signature, signHandoff(key, payload)),
    ...compare('verification of the signature', true, verifyHandoff([key], payload, signature)),
  ];
}
