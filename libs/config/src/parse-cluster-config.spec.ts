import { describe, expect, it } from '@jest/globals';

import { parseClusterConfig } from './parse-cluster-config.js';
import { refusalOf } from './testing/refusal-of.js';

// The top-level keys of reference 1.1, their checks, and what is refused in this version. Owns 8.1 cases 15 and 17.

const FLEET = 'generation_servers: {urls: ["gen:8001"]}';
const parse = (text: string) => parseClusterConfig(`${FLEET}\n${text}`, { nodeId: () => 7 });
const problems = (text: string) => refusalOf(() => parse(text)).problems;

describe('top-level keys (reference 1.1)', () => {
  it('have the defaults of upstream', () => {
    const { config, warnings } = parse('');
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      hostname: 'localhost',
      bind_host: null,
      port: 8000,
      max_retries: 1,
      perf_metrics_max_requests: 0,
      return_perf_metrics: false,
      perf_metrics_output_dir: null,
      context_servers: null,
      conditional_disagg_config: null,
      otlp_config: null,
      disagg_cluster: null,
      node_id: 7,
      schedule_style: 'context_first',
      allow_request_chat_template: false,
      gen_strip_message_history: false,
      gen_tokids_ctxbytes: false,
      num_workers: 1,
      disagg_coordinator_url: null,
      server_keep_alive_timeout: 10,
      internal_request_auth_key: null,
      internal_request_auth_keys: [],
      conversation_affinity_header_for_subagents: null,
      subagent_affinity_scope: 'context',
    });
  });

  it('have the defaults of Roost', () => {
    expect(parse('').config).toMatchObject({
      edge: {
        max_concurrent_requests: 1024,
        max_queued_requests: 4096,
        request_timeout_s: 180,
        body_limit_bytes: 33554432,
        explain_headers: false,
        shutdown_timeout_s: 30,
        health_poll_interval_ms: 500,
        worker_connect_timeout_ms: 2000,
      },
      logging: { level: 'info', pretty: false },
    });
  });

  it('are taken from the file', () => {
    const { config } = parse(
      'hostname: edge\nbind_host: 0.0.0.0\nport: 80\nmax_retries: 0\nserver_keep_alive_timeout: 3600\nallow_request_chat_template: yes\notlp_config: {otlp_traces_endpoint: "http://otel:4317"}\nedge: {max_concurrent_requests: 2}',
    );
    expect(config).toMatchObject({
      hostname: 'edge',
      bind_host: '0.0.0.0',
      port: 80,
      max_retries: 0,
      server_keep_alive_timeout: 3600,
      allow_request_chat_template: true,
      otlp_config: { otlp_traces_endpoint: 'http://otel:4317' },
      edge: { max_concurrent_requests: 2, max_queued_requests: 4096 },
    });
  });

  it('have their defaults where they are null', () => {
    expect(parse('port: null\nedge:\nlogging: {level: ~}\nnode_id:').config).toMatchObject({
      port: 8000,
      node_id: 7,
      logging: { level: 'info' },
      edge: { max_concurrent_requests: 1024 },
    });
  });

  it.each([
    ['node_id: 256', 'node_id', 'node_id must be in range [0, 256), got 256'],
    ['node_id: -1', 'node_id', 'node_id must be in range [0, 256), got -1'],
    [
      'server_keep_alive_timeout: -1',
      'server_keep_alive_timeout',
      'server_keep_alive_timeout must be a non-negative integer, got -1',
    ],
    [
      'server_keep_alive_timeout: true',
      'server_keep_alive_timeout',
      'server_keep_alive_timeout must be a non-negative integer, got true',
    ],
    [
      'server_keep_alive_timeout: 1.5',
      'server_keep_alive_timeout',
      'server_keep_alive_timeout must be a non-negative integer, got 1.5',
    ],
    [
      'server_keep_alive_timeout: "10"',
      'server_keep_alive_timeout',
      "server_keep_alive_timeout must be a non-negative integer, got '10'",
    ],
    [
      'server_keep_alive_timeout: null',
      'server_keep_alive_timeout',
      'server_keep_alive_timeout must be a non-negative integer, got null',
    ],
    [
      'allow_request_chat_template: "false"',
      'allow_request_chat_template',
      'allow_request_chat_template must be a boolean, got str',
    ],
    [
      'allow_request_chat_template: "true"',
      'allow_request_chat_template',
      'allow_request_chat_template must be a boolean, got str',
    ],
    [
      'allow_request_chat_template: 0',
      'allow_request_chat_template',
      'allow_request_chat_template must be a boolean, got int',
    ],
    [
      'allow_request_chat_template: 1',
      'allow_request_chat_template',
      'allow_request_chat_template must be a boolean, got int',
    ],
    [
      'allow_request_chat_template: null',
      'allow_request_chat_template',
      'allow_request_chat_template must be a boolean, got NoneType',
    ],
    [
      'internal_request_auth_key: ""',
      'internal_request_auth_key',
      'internal_request_auth_key must be a non-empty string',
    ],
    [
      'internal_request_auth_key: 12345',
      'internal_request_auth_key',
      'internal_request_auth_key must be a non-empty string',
    ],
    [
      'internal_request_auth_key: [s]',
      'internal_request_auth_key',
      'internal_request_auth_key must be a non-empty string',
    ],
    [
      'subagent_affinity_scope: all',
      'subagent_affinity_scope',
      "subagent_affinity_scope must be 'context' or 'both', got 'all'",
    ],
    ['port: 65536', 'port', 'port must be an integer from 0 to 65535, got 65536'],
    ['port: "8000"', 'port', "port must be an integer from 0 to 65535, got '8000'"],
    ['max_retries: -1', 'max_retries', 'max_retries must be an integer from 0 to 100, got -1'],
    ['hostname: ""', 'hostname', "hostname must be a non-empty string, got ''"],
    ['hostname: 5', 'hostname', 'hostname must be a non-empty string, got 5'],
    ['edge: 5', 'edge', 'edge must be a mapping, got 5'],
    [
      'edge: {request_timeout_s: .nan}',
      'edge.request_timeout_s',
      'request_timeout_s must be an integer from 1 to 86400, got NaN',
    ],
    [
      'edge: {request_timeout_s: .inf}',
      'edge.request_timeout_s',
      'request_timeout_s must be an integer from 1 to 86400, got Infinity',
    ],
    ['edge: {explain_headers: 1}', 'edge.explain_headers', 'explain_headers must be true or false, got 1'],
    [
      'logging: {level: loud}',
      'logging.level',
      "level must be one of trace, debug, info, warn, error, fatal, silent, got 'loud'",
    ],
    [
      'conditional_disagg_config: {max_local: 1}',
      'conditional_disagg_config.max_local',
      'max_local is not a known key here; did you mean max_local_prefill_length?',
    ],
    [
      'otlp_config: {endpoint: x}',
      'otlp_config.endpoint',
      'endpoint is not a known key here; did you mean otlp_traces_endpoint?',
    ],
  ])('%s is refused', (text, path, message) => {
    expect(problems(text)).toContainEqual({ path, message, line: 2 });
  });

  it.each(['context_first', '""', 'context-first'])('schedule_style %s is context_first', (style) => {
    const { config, warnings } = parse(`schedule_style: ${style}`);
    expect(config.schedule_style).toBe('context_first');
    expect(warnings).toEqual(style === 'context-first' ? ['schedule_style is unknown and taken as context_first'] : []);
  });

  it('names what is accepted without being acted upon', () => {
    const { config, warnings } = parse('return_perf_metrics: true\nperf_metrics_max_requests: 9');
    expect(warnings).toEqual([
      'accepted, not acted upon in this version: perf_metrics_max_requests, return_perf_metrics',
    ]);
    expect(config.generation_servers?.return_perf_metrics).toBe(true);
  });
});

describe('what this version of Roost does not have', () => {
  it.each([
    ['disagg_cluster: {cluster_uri: "http://edge:8000"}', 'disagg_cluster', 'disagg_cluster'],
    ['disagg_coordinator_url: "http://edge:7999"', 'disagg_coordinator_url', 'disagg_coordinator_url'],
    ['num_workers: 2', 'num_workers', 'num_workers above 1'],
  ])('%s is refused by name', (text, path, what) => {
    expect(problems(text)).toEqual([{ path, message: `${what} is not available in this version of Roost`, line: 2 }]);
  });

  it('is checked for its syntax all the same (reference 1.4)', () => {
    expect(
      problems('disagg_cluster: {cluster_uri: x, heartbeat: 1, minimal_instances: {context: 1}}').map(
        ({ path }) => path,
      ),
    ).toEqual(['disagg_cluster.heartbeat', 'disagg_cluster.minimal_instances.context', 'disagg_cluster']);
  });
});

describe('unknown keys', () => {
  it.each([
    ['prot: 1', 'prot', 'prot is not a known key here; did you mean port?'],
    ['Port: 1', 'Port', 'Port is not a known key here; did you mean port?'],
    [
      'max_concurrent_requests: 1',
      'max_concurrent_requests',
      'max_concurrent_requests is not a known key here; did you mean edge.max_concurrent_requests?',
    ],
    ['edge: {node_id: 1}', 'edge.node_id', 'node_id is not a known key here; did you mean node_id at the top level?'],
    [
      'context_servers: {urls: ["a:1"], num_instance: 1}',
      'context_servers.num_instance',
      'num_instance is not a known key here; did you mean num_instances?',
    ],
    [
      'context_servers: {urls: ["a:1"], hostname: a}',
      'context_servers.hostname',
      'hostname is not a known key here; did you mean hostname at the top level?',
    ],
    [
      'kv_cache_config: {token_per_block: 1}',
      'kv_cache_config.token_per_block',
      'token_per_block is not a known key here; did you mean tokens_per_block?',
    ],
    ['__proto__: {x: 1}', '__proto__', '__proto__ is not a known key here'],
    ['constructor: 1', 'constructor', 'constructor is not a known key here'],
  ])('%s is refused with a known one that is near', (text, path, message) => {
    const [problem] = problems(text);
    expect(problem).toMatchObject({ path, line: 2 });
    expect(problem?.message).toBe(message);
  });

  it('of the engine of upstream are ignored and named in one warning', () => {
    const { warnings } = parse(
      'backend: pytorch\ncuda_graph_config: {max_batch_size: 8}\nkv_cache_config: {free_gpu_memory_fraction: 0.8, dtype: fp8}\ncontext_servers: {urls: ["a:1"], print_iter_log: true, cache_transceiver_config: {backend: UCX, max_tokens_in_buffer: 9}}',
    );
    expect(warnings).toEqual([
      'keys of upstream that mean nothing here are ignored: backend, cuda_graph_config, kv_cache_config.free_gpu_memory_fraction, kv_cache_config.dtype, context_servers.print_iter_log, context_servers.cache_transceiver_config.max_tokens_in_buffer',
    ]);
  });

  it('are all reported at once, with what else is wrong, and what would have been warned of', () => {
    const error = refusalOf(() => parse('prot: 1\nport: -1\nbackend: x\nedge:\n  max_queued_requests: x'));
    expect(error.problems.map(({ path, line }) => [path, line])).toEqual([
      ['prot', 2],
      ['port', 3],
      ['edge.max_queued_requests', 6],
    ]);
    expect(error.warnings).toHaveLength(1);
    expect(error.message.split('\n')).toHaveLength(4);
  });
});

describe('the result', () => {
  it('is deeply frozen', () => {
    const { config } = parse('internal_request_auth_key: s\nconversation_affinity_header_for_subagents: x-parent');
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.edge)).toBe(true);
    expect(Object.isFrozen(config.generation_servers?.router)).toBe(true);
    expect(Object.isFrozen(config.generation_servers?.kv_cache_config)).toBe(true);
    expect(() => Object.assign(config.edge, { max_queued_requests: 1 })).toThrow(TypeError);
  });

  it('leaves an object that it was made of as it was', () => {
    const given = { backend: 'x', max_batch_size: 2, generation_servers: { urls: ['a:1'] } };
    const before = structuredClone(given);
    expect(parseClusterConfig(given).config.generation_servers?.max_batch_size).toBe(2);
    expect(given).toEqual(before);
  });
});
