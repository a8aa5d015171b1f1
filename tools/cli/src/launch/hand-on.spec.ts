// Owns what a combined launch hands to its children: that they read exactly the configuration that the launch was given.
import { describe, expect, it } from '@jest/globals';
import { ClusterConfig, parseClusterConfig, parseWorkerConfig, WorkerConfig, workerConfigsOf } from '@roost/config';

import { handOnToEdge, handOnToWorker, type LaunchSource } from './hand-on.js';
import { planLaunch } from './plan.js';

const file = '/etc/roost/cluster.yaml';

const text = `
hostname: 127.0.0.1
port: 8123
bind_host: 0.0.0.0
node_id: 7
internal_request_auth_key: generate
internal_request_auth_previous_keys: ['env:one, two', 'env:literal']
conversation_affinity_header_for_subagents: X-Parent
model: tiny
enable_attention_dp: true
edge: { shutdown_timeout_s: 3 }
context_servers:
  num_instances: 2
  urls: ['127.0.0.1:8201', '127.0.0.1:8202']
  tensor_parallel_size: 2
  worker: { shutdown_timeout_s: 5 }
  router: { type: conversation, load_cap: .inf }
generation_servers:
  urls: ['127.0.0.1:8301']
  logging: { level: debug, pretty: true }
`;

const env = { 'one, two': 'env:old-1,old-2', literal: 'old-3' };

function load(): ClusterConfig {
  return parseClusterConfig(text, { env, generateKey: () => 'drawn' }).config;
}

const revealed = (config: ClusterConfig | WorkerConfig): readonly string[] =>
  config.internal_request_auth_keys.map((key) => key.reveal());

const source = (keyIsDrawn = true): LaunchSource => ({
  file,
  env: { HOME: '/root', ROOST_NODE_ID: '9', ...env },
  keyIsDrawn,
});

describe('handOnToEdge', () => {
  it('lets the edge read the configuration of the launch, with its port and the key that it drew', () => {
    const { config, env: childEnv } = handOnToEdge(load(), 9000, source());
    expect(config).toEqual({ file });
    const read = parseClusterConfig(text, { env: childEnv }).config;
    expect(read).toEqual(Object.assign(new ClusterConfig(), load(), { port: 9000, node_id: 9 }));
    expect(revealed(read)).toEqual(['drawn', 'env:old-1,old-2', 'old-3']);
  });

  it('hands a drawn key on wherever the file asks for one', () => {
    const asking = `${text}  internal_request_auth_key: generate\n`;
    const { config: cluster } = parseClusterConfig(asking, { env, generateKey: () => 'drawn' });
    const { env: childEnv } = handOnToEdge(cluster, 9000, source());
    expect(revealed(parseClusterConfig(asking, { env: childEnv }).config)[0]).toBe('drawn');
  });

  it('lets the edge find a key itself that was not drawn', () => {
    const { env: childEnv } = handOnToEdge(load(), 9000, source(false));
    expect(Object.values(childEnv)).not.toContain('drawn');
  });
});

describe('handOnToWorker', () => {
  it('gives a worker its part of the configuration in effect, with logs that the launch can read', () => {
    for (const { config } of workerConfigsOf(load())) {
      const { config: written, env: childEnv } = handOnToWorker(config, source().env);
      const read = parseWorkerConfig('text' in written ? written.text : '', { env: childEnv }).config;
      const logging = { level: config.logging.level, pretty: false };
      expect(read).toEqual(Object.assign(new WorkerConfig(), config, { logging }));
      expect(revealed(read)).toEqual(['drawn', 'env:old-1,old-2', 'old-3']);
    }
  });

  it('writes no key into a file', () => {
    for (const { config } of workerConfigsOf(load()))
      expect(JSON.stringify(handOnToWorker(config, {}).config)).not.toMatch(/drawn|old-/);
  });

  it('does not let what configured the launch configure each worker again', () => {
    const { config } = parseClusterConfig({ generation_servers: { urls: ['127.0.0.1:1'] } });
    for (const worker of workerConfigsOf(config))
      expect(handOnToWorker(worker.config, { HOME: '/root', ROOST_PORT: '9000' }).env).toEqual({ HOME: '/root' });
  });
});

describe('planLaunch', () => {
  it('plans one process for each worker url, and the edge', () => {
    const { edge, workers, ...rest } = planLaunch(load(), 9000, source());
    const handedOn: unknown = expect.any(Object);
    expect([edge, ...workers]).toEqual([
      {
        name: 'edge',
        app: 'edge',
        role: 'edge',
        host: '0.0.0.0',
        port: 9000,
        ranks: undefined,
        address: 'http://127.0.0.1:9000',
        handedOn,
      },
      {
        name: 'context-0',
        app: 'context-worker',
        role: 'context',
        host: '127.0.0.1',
        port: 8201,
        ranks: 2,
        address: '127.0.0.1:8201',
        handedOn,
      },
      {
        name: 'context-1',
        app: 'context-worker',
        role: 'context',
        host: '127.0.0.1',
        port: 8202,
        ranks: 2,
        address: '127.0.0.1:8202',
        handedOn,
      },
      {
        name: 'generation-0',
        app: 'generation-worker',
        role: 'generation',
        host: '127.0.0.1',
        port: 8301,
        ranks: 1,
        address: '127.0.0.1:8301',
        handedOn,
      },
    ]);
    expect(rest).toEqual({ model: 'tiny', parentHeader: 'X-Parent', longestShutdown: 30_000, sidePlaces: [] });
  });

  it('knows where its processes listen besides', () => {
    const { config } = parseClusterConfig(
      'edge: {admin_port: 8001}\ncontext_servers: {num_instances: 2, urls: ["127.0.0.1:1", "127.0.0.1:2"], worker: {metrics_port: 9101}}\ngeneration_servers: {urls: ["127.0.0.1:3"]}',
    );
    expect(planLaunch(config, 8000, { file, env: {}, keyIsDrawn: false }).sidePlaces).toEqual([
      { name: 'metrics of 127.0.0.1:1', host: '127.0.0.1', port: 9101 },
      { name: 'metrics of 127.0.0.1:2', host: '127.0.0.1', port: 9102 },
      { name: 'admin of edge', host: '127.0.0.1', port: 8001 },
    ]);
  });
});
