import { type AdpRequest, type AdpRouter, createAdpRouter, type RankLoad } from '@roost/adp-router';

import { compare } from '../compare.js';
import type { Fields } from '../document/fields.js';
import { parseJson } from '../document/parse-json.js';
import { ShapeError } from '../document/shape-error.js';
import type { Mismatch, VectorFormat } from '../vector-format.js';

import { listOfCases } from './list-of-cases.js';

/** `adp-router*.json`: batches of requests assigned to ranks by one router (reference 6.2). */
export const adpRouter: VectorFormat = {
  prefix: 'adp-router',
  parse: parseJson,
  cases: (document) => listOfCases(document, replay),
};

interface Step {
  readonly ranks: readonly RankLoad[];
  readonly requests: readonly AdpRequest<unknown>[];
  readonly assignments: unknown;
  readonly expected: number;
}

function replay(fields: Fields): readonly Mismatch[] {
  const router = makeRouter(fields);
  const steps = fields.objects('steps').map(readStep);
  return steps.flatMap((step, index) => {
    const { byRank, expectedNumActiveRequests } = router.assign(step.ranks, step.requests);
    const at = `step ${String(index)}`;
    return [
      ...compare(`${at}, assignments`, step.assignments, Object.fromEntries(byRank.entries())),
      ...compare(`${at}, expected_num_active_requests`, step.expected, expectedNumActiveRequests),
    ];
  });
}

function makeRouter(fields: Fields): AdpRouter {
  const router = fields.text('router');
  if (router !== 'conversation' && router !== 'default') {
    throw new ShapeError(`case.router must be conversation or default, not ${router}`);
  }
  return createAdpRouter(
    {
      kv_cache_routing_conversation_affinity: router === 'conversation',
      kv_cache_routing_max_sessions: fields.number('max_sessions'),
      kv_cache_routing_new_conv_placement: fields.text('new_conv_placement'),
      kv_cache_routing_fair_share_multiplier: fields.number('fair_share_multiplier'),
    },
    fields.number('max_num_active_requests'),
  );
}

function readStep(fields: Fields): Step {
  return {
    ranks: fields.objects('ranks').map((load) => ({
      rank: load.number('rank'),
      numActiveRequests: load.number('num_active_requests'),
      numActiveTokens: load.number('num_active_tokens'),
    })),
    requests: fields.objects('requests').map((request) => ({
      id: request.any('id'),
      numInputTokens: request.number('num_input_tokens'),
      conversationId: request.textOrNull('conversation_id'),
      subagentAffinityId: request.textOrNull('subagent_affinity_id'),
      attentionDpRank: request.numberOrNull('attention_dp_rank'),
      attentionDpRelax: request.booleanOrNull('attention_dp_relax'),
    })),
    assignments: fields.any('assignments'),
    expected: fields.number('expected_num_active_requests'),
  };
}
