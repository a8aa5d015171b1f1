import { describe, expect, it } from '@jest/globals';

import { ConfigError } from '../config-error.js';
import { parseClusterConfig } from '../parse-cluster-config.js';

const text = (generationRouter: string, rest = ''): string =>
  `conditional_disagg_config: {max_local_prefill_length: 64}
${rest}
context_servers: {urls: ["ctx:1"]}
generation_servers: {urls: ["gen:1"], router: {type: ${generationRouter}}}
`;

describe('conditional disaggregation', () => {
  it.each(['round_robin', 'conversation'])('refuses to start with a generation router of type %s (3.2)', (type) => {
    expect(() => parseClusterConfig(text(type))).toThrow(ConfigError);
    expect(() => parseClusterConfig(text(type))).toThrow('requires a KV-cache-aware generation router');
  });

  it.each(['kv_cache_aware', 'KV_Cache_Aware'])('takes a generation router of type %s', (type) => {
    const { config } = parseClusterConfig(text(type));
    expect(config.conditional_disagg_config?.max_local_prefill_length).toBe(64);
  });

  it('warns where it has no effect', () => {
    const { warnings } = parseClusterConfig(text('kv_cache_aware', 'schedule_style: generation_first'));
    expect(warnings.join()).toContain('conditional_disagg_config has no effect');
  });
});
