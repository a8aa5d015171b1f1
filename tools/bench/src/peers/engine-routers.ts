import { packageVersion, programOf } from './installed.js';
import type { MockWorkers, Peer } from './peer.js';

/** How a router out of the SGLang family is told what all of them can do. */
interface Family {
  readonly name: string;
  readonly package: string;
  readonly command: readonly string[];
  /** The flag that begins its disaggregated mode. */
  readonly disaggregation: string;
  /** The policy that keeps a session on one worker. */
  readonly policy: string;
  readonly extra: readonly string[];
}

const smg: Family = {
  name: 'smg',
  package: 'smg',
  command: [programOf('smg'), 'launch'],
  disaggregation: '--pd-disaggregation',
  policy: 'manual',
  extra: ['--log-level', 'warn'],
};

const vllmRouter: Family = {
  name: 'vllm-router',
  package: 'vllm-router',
  command: [programOf('vllm-router')],
  disaggregation: '--vllm-pd-disaggregation',
  policy: 'consistent_hash',
  extra: ['--log-level', 'warning'],
};

const sglangRouter: Family = {
  name: 'sglang-router',
  package: 'sglang-router',
  command: [programOf('sglang-router', 'python'), '-m', 'sglang_router.launch_router'],
  disaggregation: '--pd-disaggregation',
  policy: 'manual',
  extra: ['--log-level', 'warn'],
};

const url = (port: number): string => `http://127.0.0.1:${String(port)}`;

function workersOf(family: Family, disaggregated: boolean, { whole, prefill, decode }: MockWorkers): string[] {
  if (!disaggregated) return ['--worker-urls', ...whole.map(url)];
  return [
    family.disaggregation,
    ...prefill.flatMap((port) => ['--prefill', url(port)]),
    ...decode.flatMap((port) => ['--decode', url(port)]),
  ];
}

function peerOf(family: Family, disaggregated: boolean): Peer {
  return {
    name: `${family.name}${disaggregated ? ', disaggregated' : ''}`,
    disaggregated,
    program: family.name,
    version: () => packageVersion(family.package),
    readyPath: '/readiness',
    command: ({ clients, metrics }, workers) => [
      ...family.command,
      ...['--host', '127.0.0.1', '--port', String(clients), '--policy', family.policy],
      ...['--prometheus-host', '127.0.0.1', '--prometheus-port', String(metrics)],
      ...['--worker-startup-check-interval', '1', ...family.extra],
      // One that counts would turn away what the others serve.
      ...['--max-concurrent-requests', '4096'],
      ...workersOf(family, disaggregated, workers),
    ],
  };
}

/** The routers of inference engines, each with sessions kept on their workers, without and with disaggregation. */
export const engineRouters: readonly Peer[] = [smg, vllmRouter, sglangRouter].flatMap((family) => [
  peerOf(family, false),
  peerOf(family, true),
]);
