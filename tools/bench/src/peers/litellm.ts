import { cpus } from 'node:os';

import { packageVersion, programOf } from './installed.js';
import type { MockWorkers, Peer } from './peer.js';

/** LiteLLM's proxy, as many workers as there are cores, with a session kept on its deployment. */
export const litellm: Peer = {
  name: 'LiteLLM',
  disaggregated: false,
  program: 'litellm',
  version: () => packageVersion('litellm'),
  readyPath: '/health/liveliness',
  command: ({ clients: port }, { whole }, files) => [
    // Mock workers say the same token again and again, which it would take for a model that has lost its way.
    ...['env', 'REPEATED_STREAMING_CHUNK_LIMIT=1000000', programOf('litellm')],
    ...['--host', '127.0.0.1', '--port', String(port), '--num_workers', String(cpus().length)],
    ...['--config', files.write('litellm.yaml', litellmConfig(whole))],
  ],
};

function litellmConfig(ports: MockWorkers['whole']): string {
  const deployments = ports.map(
    (port) => `  - model_name: mock
    litellm_params: { model: openai/mock, api_base: 'http://127.0.0.1:${String(port)}/v1', api_key: none }
`,
  );
  return `model_list:
${deployments.join('')}router_settings: { optional_pre_call_checks: [session_affinity] }
litellm_settings: { request_timeout: 300, telemetry: false }
`;
}
