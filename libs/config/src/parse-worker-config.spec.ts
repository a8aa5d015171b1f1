import { describe, expect, it } from '@jest/globals';

import { parseWorkerConfig } from './parse-worker-config.js';
import { refusalOf } from './testing/refusal-of.js';

// Worker files: defaults, what is refused, and what is accepted without being acted upon (reference 6.1).

const parse = (text: string) => parseWorkerConfig(text);
const problems = (text: string) =>
  refusalOf(() => parse(text)).problems.map(({ path, message }) => `${path}: ${message}`);

describe('a worker file', () => {
  it('may be empty', () => {
    const { config, warnings } = parse('');
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      hostname: '127.0.0.1',
      role: null,
      server_role: null,
      model: 'roost-simulated',
      num_ranks: 1,
      enable_attention_dp: false,
      max_batch_size: 64,
      max_num_tokens: 8192,
      max_seq_len: 131072,
      kv_cache_config: { tokens_per_block: 32, max_tokens: 262144, enable_block_reuse: true },
      cache_transceiver_config: { backend: 'DEFAULT', kv_transfer_timeout_ms: 60000 },
      internal_request_auth_keys: [],
      engine: {
        type: 'simulated',
        module: null,
        simulated: {
          prefill_tokens_per_second: 8000,
          decode_step_ms: 15,
          kv_bandwidth_bytes_per_second: 1e9,
          kv_bytes_per_token: 256,
          speed_up: 1,
          default_max_tokens: 512,
        },
      },
      worker: { max_queued_requests: 1024, shutdown_timeout_s: 30, advertise_host: null },
      logging: { level: 'info', pretty: false },
    });
    expect(config.attention_dp_config).toEqual({
      enable_balance: false,
      timeout_iters: 50,
      batching_wait_iters: 10,
      enable_kv_cache_aware_routing: false,
      kv_cache_routing_load_balance_weight: 1,
      kv_cache_routing_match_rate_threshold: 0.1,
      kv_cache_routing_fair_share_multiplier: 2,
      kv_cache_routing_cold_start_warmup: false,
      kv_cache_routing_account_for_in_transfer: false,
      kv_cache_routing_conversation_affinity: false,
      kv_cache_routing_max_sessions: 65536,
      kv_cache_routing_new_conv_placement: 'round_robin',
      enable_packed_sync: false,
      enable_kv_balanced_admission: false,
      kv_cache_routing_strict_conversation_affinity: false,
      kv_cache_routing_strict_affinity_max_wait_iters: 0,
    });
  });

  it.each([
    ['role: context', 'CONTEXT'],
    ['server_role: Generation', 'GENERATION'],
    ['role: CONTEXT\nserver_role: context', 'CONTEXT'],
    ['role: null', null],
  ])('%j sets the role', (text, role) => {
    expect(parse(text).config).toMatchObject({ role, server_role: role });
  });

  it('may have no cache transceiver', () => {
    expect(parse('cache_transceiver_config: null').config.cache_transceiver_config).toBeNull();
    expect(parse('cache_transceiver_config: {}').config.cache_transceiver_config?.backend).toBe('DEFAULT');
  });

  it('leaves the options of a third-party engine alone', () => {
    const { config } = parse('engine: {type: mine, module: ./mine.js, options: {depth: [1, {x: null}]}}');
    expect(config.engine).toMatchObject({ type: 'mine', module: './mine.js', options: { depth: [1, { x: null }] } });
  });

  it('counts ranks', () => {
    expect(parse('tensor_parallel_size: 4').config.num_ranks).toBe(1);
    expect(parse('tensor_parallel_size: 4\nenable_attention_dp: true').config.num_ranks).toBe(4);
  });

  it.each([
    ['role: MM_ENCODER', "role: role must be one of CONTEXT, GENERATION, got 'MM_ENCODER'"],
    ['role: CONTEXT\nserver_role: GENERATION', 'server_role: server_role must match role'],
    ['max_batch_size: 0', 'max_batch_size: max_batch_size must be an integer of at least 1, got 0'],
    ['max_num_tokens: 1.5', 'max_num_tokens: max_num_tokens must be an integer of at least 1, got 1.5'],
    ['max_seq_len: -3', 'max_seq_len: max_seq_len must be an integer of at least 1, got -3'],
    ['max_seq_len: 1e300', 'max_seq_len: max_seq_len must be an integer of at least 1, got 1e+300'],
    [
      'tensor_parallel_size: true',
      'tensor_parallel_size: tensor_parallel_size must be an integer from 1 to 65536, got true',
    ],
    ['model: [a]', 'model: model must be a non-empty string, got a list'],
    [
      'kv_cache_config: {max_tokens: .nan}',
      'kv_cache_config.max_tokens: max_tokens must be an integer of at least 1, got NaN',
    ],
    [
      'kv_cache_config: {max_tokens: 31}',
      'kv_cache_config.max_tokens: max_tokens must be at least tokens_per_block (32), got 31',
    ],
    ['engine: {simulated: {speed_up: 0}}', 'engine.simulated.speed_up: speed_up must be a number above 0, got 0'],
    [
      'engine: {simulated: {speed_up: .inf}}',
      'engine.simulated.speed_up: speed_up must be a number above 0, got Infinity',
    ],
    [
      'engine: {simulated: {decode_step_ms: -1}}',
      'engine.simulated.decode_step_ms: decode_step_ms must be a number above 0, got -1',
    ],
    ['engine: {options: 5}', 'engine.options: options must be a mapping, got 5'],
    ['worker: {advertise_host: ""}', "worker.advertise_host: advertise_host must be a non-empty string, got ''"],
    [
      'internal_request_auth_key: generate',
      'internal_request_auth_key: generate works in a combined launch only: processes that are started one by one need the same key, given as env:NAME or file:PATH',
    ],
    [
      'attention_dp_config: {kv_cache_routing_new_conv_placement: random}',
      "attention_dp_config.kv_cache_routing_new_conv_placement: kv_cache_routing_new_conv_placement must be one of round_robin, least_queued, least_tokens, least_prefill, got 'random'",
    ],
    [
      'attention_dp_config: {kv_cache_routing_max_sessions: 0}',
      'attention_dp_config.kv_cache_routing_max_sessions: kv_cache_routing_max_sessions must be an integer of at least 1, got 0',
    ],
    [
      'attention_dp_config: {kv_cache_routing_strict_affinity_max_wait_iters: -1}',
      'attention_dp_config.kv_cache_routing_strict_affinity_max_wait_iters: kv_cache_routing_strict_affinity_max_wait_iters must be an integer of at least 0, got -1',
    ],
    [
      'attention_dp_config: {max_sessions: 1}',
      'attention_dp_config.max_sessions: max_sessions is not a known key here; did you mean kv_cache_routing_max_sessions?',
    ],
    [
      'attention_dp_config: {enable_balance: true, timeout_iters: -1}',
      'attention_dp_config.timeout_iters: attention_dp_config.timeout_iters must be greater or equal to 0 when enable_balance is true',
    ],
    [
      'attention_dp_config: {enable_balance: true, batching_wait_iters: -1}',
      'attention_dp_config.batching_wait_iters: attention_dp_config.batching_wait_iters must be greater or equal to 0 when enable_balance is true',
    ],
    ['context_servers: {}', 'context_servers: context_servers is not a known key here'],
    ['urls: [a:1]', 'urls: urls is not a known key here'],
    ['router: {}', 'router: router is not a known key here'],
  ])('%s is refused', (text, problem) => {
    const [first, ...more] = problems(text);
    expect(more).toEqual([]);
    expect(first).toBe(problem);
  });
});

describe('what is accepted without being acted upon', () => {
  it('is named in one warning', () => {
    const { warnings } = parse(
      'enable_attention_dp: true\nattention_dp_config: {enable_kv_balanced_admission: true, enable_packed_sync: true}',
    );
    expect(warnings).toEqual([
      'accepted, not acted upon in this version: attention_dp_config.enable_packed_sync, attention_dp_config.enable_kv_balanced_admission',
    ]);
  });

  it('is not named where it has its default', () => {
    expect(parse('attention_dp_config: {enable_balance: false, timeout_iters: 50}').warnings).toEqual([]);
  });

  it('negative waits pass without balance', () => {
    expect(parse('attention_dp_config: {timeout_iters: -1}').warnings).toEqual([]);
  });

  it.each(['enable_balance', 'kv_cache_routing_conversation_affinity', 'enable_kv_cache_aware_routing'])(
    '%s without ranks is warned of',
    (name) => {
      expect(parse(`attention_dp_config: {${name}: true}`).warnings).toEqual([
        'attention_dp_config has no effect without enable_attention_dp: true',
      ]);
    },
  );
});
