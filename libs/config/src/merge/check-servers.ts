import { isDeepStrictEqual } from 'node:util';

import type { Findings } from '../findings.js';
import type { ClusterConfig } from '../schema/cluster-config.js';
import { ServerSection } from '../schema/server-section.js';
import { WorkerArgs } from '../schema/worker-args.js';
import { settingsOf } from '../settings/setting.js';
import { showValue } from '../show-value.js';

import { SECTION_NAMES, SERVER_TYPE, type SectionName } from './section-names.js';

const { num_instances: DEFAULT_INSTANCES } = new ServerSection();

/** Where an instance listens. */
export interface ServerAddress {
  readonly hostname: string;
  readonly port: number;
}

/** Splits `host:port` into its two parts; null for anything else, a scheme or an IPv6 literal included. */
export function parseServerUrl(url: string): ServerAddress | null {
  const [hostname, port, ...rest] = url.split(':');
  if (!hostname || !port || rest.length > 0) return null;
  if (!/^[A-Za-z0-9._-]+$/.test(hostname) || !/^\d{1,5}$/.test(port)) return null;
  const number = Number(port);
  return number >= 1 && number <= 65535 ? { hostname, port: number } : null;
}

/** Checks the fleets of a cluster: that they are there, that every instance has an address, and that no two share one. */
export function checkServers(config: ClusterConfig, findings: Findings): void {
  // With discovery, static urls are ignored (reference 1.1).
  if (config.disagg_cluster) return;
  for (const name of SECTION_NAMES) {
    const section = config[name];
    if (section) checkUrls(name, section, findings);
  }
  checkPresence(config, findings);
  checkMixedWorkers(config, findings);
}

function checkUrls(name: SectionName, { urls, num_instances }: ServerSection, findings: Findings): void {
  if (findings.hasProblemIn(`${name}.urls`)) return;
  if (urls.length === 0 && num_instances > 0) {
    findings.problem([name, 'urls'], 'urls is missing: every instance needs a host:port');
    return;
  }
  if (urls.length !== num_instances && !findings.hasProblemIn(`${name}.num_instances`)) {
    const unset = num_instances === DEFAULT_INSTANCES;
    const hint = unset ? `: num_instances is ${String(DEFAULT_INSTANCES)} unless it is set` : '';
    findings.problem(
      [name, 'num_instances'],
      `Number of hostnames (${String(urls.length)}) should be equal to the number of instances (${String(num_instances)})${hint}`,
    );
  }
  const seen = new Set<string>();
  for (const [index, url] of urls.entries()) {
    const path = [name, 'urls', String(index)];
    const address = parseServerUrl(url);
    if (!address) findings.problem(path, `expected host:port, got ${showValue(url)}`);
    else if (seen.has(keyOf(address)))
      findings.problem(path, `Duplicated ${SERVER_TYPE[name]} server config for ${keyOf(address)}`);
    else seen.add(keyOf(address));
  }
}

function keyOf({ hostname, port }: ServerAddress): string {
  return `${hostname}:${String(port)}`;
}

function checkPresence(config: ClusterConfig, findings: Findings): void {
  const isThere = (section: ServerSection | null): boolean => section !== null && section.num_instances > 0;
  if (isThere(config.generation_servers)) return;
  // A section that is there but wrong has been reported as such.
  if (findings.hasProblemIn('generation_servers')) return;
  findings.problem(
    ['generation_servers'],
    isThere(config.context_servers)
      ? 'generation_servers is missing: context servers alone cannot finish a request'
      : 'context_servers and generation_servers are missing: an edge needs generation servers, and context servers for disaggregated serving',
  );
}

/** An address in both roles is one worker that serves both, so both sections must say the same of it. */
function checkMixedWorkers(config: ClusterConfig, findings: Findings): void {
  const { context_servers: context, generation_servers: generation } = config;
  if (!context || !generation || sameArgs(context, generation)) return;
  for (const [index, url] of generation.urls.entries())
    if (context.urls.includes(url))
      findings.problem(
        ['generation_servers', 'urls', String(index)],
        `${showValue(url)} is a context server too, but the two sections give it different arguments`,
      );
}

function sameArgs(a: WorkerArgs, b: WorkerArgs): boolean {
  return settingsOf(WorkerArgs).every(({ name }) => {
    const key = name as keyof WorkerArgs;
    return isDeepStrictEqual(a[key], b[key]);
  });
}
