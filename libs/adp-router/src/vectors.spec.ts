/** Replays recorded cases of a compatible router: the ones below, and the vector file where there is one. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { createAdpRouter } from './create-adp-router.js';

interface VectorCase {
  readonly router: 'conversation' | 'default';
  readonly num_ranks: number;
  readonly max_num_active_requests: number;
  readonly new_conv_placement: string;
  readonly fair_share_multiplier: number;
  readonly max_sessions: number;
  readonly steps: readonly {
    readonly ranks: readonly {
      readonly rank: number;
      readonly num_active_requests: number;
      readonly num_active_tokens: number;
    }[];
    readonly requests: readonly {
      readonly id: number;
      readonly num_input_tokens: number;
      readonly conversation_id?: string;
      readonly subagent_affinity_id?: string;
      readonly attention_dp_rank?: number;
      readonly attention_dp_relax?: boolean;
    }[];
    readonly assignments: Readonly<Record<string, readonly number[]>>;
    readonly expected_num_active_requests: number;
  }[];
}

const BUILT_IN: VectorCase = {
  router: 'conversation',
  num_ranks: 2,
  max_num_active_requests: 2,
  new_conv_placement: 'round_robin',
  fair_share_multiplier: 1,
  max_sessions: 8,
  steps: [
    {
      ranks: [
        { rank: 0, num_active_requests: 0, num_active_tokens: 0 },
        { rank: 1, num_active_requests: 0, num_active_tokens: 0 },
      ],
      requests: [
        { id: 0, num_input_tokens: 5, conversation_id: 'parent' },
        {
          id: 1,
          num_input_tokens: 5,
          conversation_id: 'child',
          subagent_affinity_id: 'parent',
        },
      ],
      assignments: { '0': [0, 1], '1': [] },
      expected_num_active_requests: 2,
    },
  ],
};

function readVectors(): readonly VectorCase[] {
  const folder = process.env['ROOST_VECTORS'] ?? join(import.meta.dirname, '../../../../shared/vectors');
  const file = join(folder, 'adp-router.json');
  if (!existsSync(file)) return [];
  return JSON.parse(readFileSync(file, 'utf8')) as VectorCase[];
}

function replay(vector: VectorCase): unknown[] {
  const router = createAdpRouter(
    {
      kv_cache_routing_conversation_affinity: vector.router === 'conversation',
      kv_cache_routing_max_sessions: vector.max_sessions,
      kv_cache_routing_new_conv_placement: vector.new_conv_placement,
      kv_cache_routing_fair_share_multiplier: vector.fair_share_multiplier,
    },
    vector.max_num_active_requests,
  );
  return vector.steps.map(({ ranks, requests }) => {
    const assignment = router.assign(
      ranks.map((load) => ({
        rank: load.rank,
        numActiveRequests: load.num_active_requests,
        numActiveTokens: load.num_active_tokens,
      })),
      requests.map((request) => ({
        id: request.id,
        numInputTokens: request.num_input_tokens,
        conversationId: request.conversation_id ?? null,
        subagentAffinityId: request.subagent_affinity_id ?? null,
        attentionDpRank: request.attention_dp_rank ?? null,
        attentionDpRelax: request.attention_dp_relax ?? null,
      })),
    );
    return {
      assignments: Object.fromEntries(assignment.byRank.entries()),
      expected_num_active_requests: assignment.expectedNumActiveRequests,
    };
  });
}

describe('recorded cases', () => {
  test.each([BUILT_IN, ...readVectors()].map((vector, index) => ({ vector, index })))(
    'case $index: $vector.router, $vector.num_ranks ranks',
    ({ vector }) => {
      const expected = vector.steps.map(({ assignments, expected_num_active_requests }) => ({
        assignments,
        expected_num_active_requests,
      }));
      expect(replay(vector)).toEqual(expected);
    },
  );
});
