// Owns: every case of identity*.json and signatures*.json, where the recorded vectors are at hand.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { affinityJson, signAffinity, verifyAffinity } from './affinity-signature.js';
import { handoffJson, signHandoff, verifyHandoff } from './handoff-signature.js';
import type { Headers } from './header-value.js';
import { identify } from './identify.js';
import type { ServerRole } from './server-role.js';

const FOLDER = process.env['ROOST_VECTORS'] ?? path.join(import.meta.dirname, '../../../../shared/vectors');

interface AffinityCase {
  readonly key: string;
  readonly role: ServerRole;
  readonly model: string;
  readonly conversation_id: string | null;
  readonly subagent_affinity_id: string;
  readonly request_type: string | null;
  readonly disagg_request_id: string | null;
  readonly canonical_json: string;
  readonly signature: string;
}

interface HandoffCase {
  readonly key: string;
  readonly ctx_info_endpoint: string | string[] | null;
  readonly encoded_opaque_state: string | null;
  readonly canonical_json: string;
  readonly signature: string;
}

interface SignatureVectors {
  readonly subagent_affinity: readonly AffinityCase[];
  readonly kv_transfer: readonly HandoffCase[];
}

interface IdentityCase {
  readonly name: string;
  readonly conversation_affinity_header_for_subagents: string | null;
  readonly headers: Headers;
  readonly body: { readonly conversation_params?: unknown };
  readonly expect: {
    readonly conversation_id?: string | null;
    readonly conversation_id_prefix?: string;
    readonly subagent_affinity_id?: string | null;
    readonly routing_key?: string | null;
    readonly error_status?: number;
    readonly error_contains?: string;
  };
}

function readVectors(name: string): unknown[] {
  if (!existsSync(FOLDER)) return [];
  return globSync(`${name}*.json`, { cwd: FOLDER }).map((file): unknown =>
    JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')),
  );
}

function identityOf(vector: IdentityCase): unknown {
  return identify({
    headers: vector.headers,
    conversationParams: vector.body.conversation_params,
    parentHeader: vector.conversation_affinity_header_for_subagents,
    newId: () => 'new',
  });
}

const signatures = readVectors('signatures') as SignatureVectors[];
const identities = (readVectors('identity') as IdentityCase[][]).flat();

describe('recorded signatures', () => {
  it('are the ones that we make and verify for parent sessions', () => {
    for (const vector of signatures.flatMap((file) => file.subagent_affinity)) {
      const payload = {
        role: vector.role,
        model: vector.model,
        conversationId: vector.conversation_id,
        subagentAffinityId: vector.subagent_affinity_id,
        requestType: vector.request_type,
        disaggRequestId: vector.disagg_request_id === null ? null : BigInt(vector.disagg_request_id),
      };
      expect(affinityJson(payload)).toBe(vector.canonical_json);
      expect(signAffinity(vector.key, payload)).toBe(vector.signature);
      expect(verifyAffinity(['another', vector.key], payload, vector.signature)).toBe(true);
    }
  });

  it('are the ones that we make and verify for handoffs', () => {
    for (const vector of signatures.flatMap((file) => file.kv_transfer)) {
      const payload = { ctxInfoEndpoint: vector.ctx_info_endpoint, encodedOpaqueState: vector.encoded_opaque_state };
      expect(handoffJson(payload)).toBe(vector.canonical_json);
      expect(signHandoff(vector.key, payload)).toBe(vector.signature);
      expect(verifyHandoff([vector.key], payload, vector.signature)).toBe(true);
    }
  });
});

describe('recorded identities', () => {
  it('are the ones that we find', () => {
    for (const vector of identities.filter(({ expect }) => expect.error_status === undefined)) {
      const { conversation_id: id, conversation_id_prefix: prefix } = vector.expect;
      expect([vector.name, identityOf(vector)]).toEqual([
        vector.name,
        {
          conversationId: prefix === undefined ? id : `${prefix}new`,
          subagentAffinityId: vector.expect.subagent_affinity_id,
          routingKey: vector.expect.routing_key,
          synthesised: prefix !== undefined,
        },
      ]);
    }
  });

  it('are refused where they must be', () => {
    for (const vector of identities.filter(({ expect }) => expect.error_status !== undefined)) {
      expect(() => identityOf(vector)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          kind: expect.objectContaining({ http: vector.expect.error_status }),
          message: expect.stringContaining(vector.expect.error_contains ?? ''),
        }),
      );
    }
  });
});
