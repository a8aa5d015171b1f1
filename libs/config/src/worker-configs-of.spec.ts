import { describe, expect, it } from '@jest/globals';

import { parseClusterConfig } from './parse-cluster-config.js';
import { WorkerConfig } from './schema/worker-config.js';
import { workerConfigsOf } from './worker-configs-of.js';

// What a combined launch starts beside the edge.

const workersOf = (text: string) => workerConfigsOf(parseClusterConfig(text, { generateKey: () => 'drawn' }).config);

describe('workerConfigsOf', () => {
  it('gives one configuration for each url, with the key of the cluster', () => {
    const workers = workersOf(
      'max_batch_size: 8\ninternal_request_auth_key: generate\ninternal_request_auth_previous_keys: [old]\ncontext_servers: {num_instances: 2, urls: ["a:1", "b:2"], tensor_parallel_size: 2, enable_attention_dp: true}\ngeneration_servers: {urls: ["c:3"], worker: {max_queued_requests: 5}}',
    );
    expect(workers.map(({ role, index, url }) => [role, index, url])).toEqual([
      ['CONTEXT', 0, 'a:1'],
      ['CONTEXT', 1, 'b:2'],
      ['GENERATION', 0, 'c:3'],
    ]);
    for (const { config } of workers) {
      expect(config).toBeInstanceOf(WorkerConfig);
      expect(config.max_batch_size).toBe(8);
      expect(config.internal_request_auth_keys.map((key) => key.reveal())).toEqual(['drawn', 'old']);
      expect(Object.isFrozen(config)).toBe(true);
    }
    expect(workers[1]?.config).toMatchObject({ hostname: 'b', port: 2, role: 'CONTEXT', num_ranks: 2 });
    expect(workers[2]?.config).toMatchObject({ role: 'GENERATION', num_ranks: 1, worker: { max_queued_requests: 5 } });
  });

  it('gives a worker listed in both fleets once, without a role', () => {
    const workers = workersOf(
      'context_servers: {urls: ["m:1"]}\ngeneration_servers: {num_instances: 2, urls: ["g:1", "m:1"]}',
    );
    expect(workers.map(({ role, url, config }) => [role, url, config.role])).toEqual([
      ['CONTEXT', 'm:1', null],
      ['GENERATION', 'g:1', 'GENERATION'],
    ]);
  });

  it('gives every worker a metrics port of its own, in order from the one written, and none where none is', () => {
    const portsOf = (text: string): unknown[] => workersOf(text).map(({ config }) => config.worker.metrics_port);
    const urls = 'urls: ["a:1", "b:2"], num_instances: 2';
    expect(portsOf(`context_servers: {${urls}}\ngeneration_servers: {urls: ["c:3"]}`)).toEqual([null, null, null]);
    expect(
      portsOf(
        `context_servers: {${urls}, worker: {metrics_port: 9101}}\ngeneration_servers: {urls: ["c:3"], worker: {metrics_port: 9102}}`,
      ),
    ).toEqual([9101, 9102, 9103]);
    const all = workersOf(
      `worker: {metrics_port: 9101}\ncontext_servers: {${urls}}\ngeneration_servers: {urls: ["c:3"]}`,
    );
    expect(all.map(({ config }) => [config.worker.metrics_port, config.worker.max_queued_requests])).toEqual([
      [9101, 1024],
      [9102, 1024],
      [9103, 1024],
    ]);
    expect(all.every(({ config }) => config instanceof WorkerConfig && Object.isFrozen(config.worker))).toBe(true);
  });

  it('draws one key for all', () => {
    let drawn = 0;
    const { config } = parseClusterConfig(
      'internal_request_auth_key: generate\ncontext_servers: {urls: ["c:1"], internal_request_auth_key: generate}\ngeneration_servers: {urls: ["g:1"]}',
      { generateKey: () => `key-${String(drawn++)}` },
    );
    expect(config.internal_request_auth_keys.map((key) => key.reveal())).toEqual(['key-0']);
    expect(drawn).toBe(1);
  });
});
