import Table from 'cli-table3';

import { defaultUrl } from '../demo/default-url.js';
import type { Colors } from '../output/log-view.js';

/** A member of the cluster as the banner shows it. */
export interface BannerMember {
  readonly name: string;
  readonly role: string;
  readonly url: string;
  /** ADP ranks; undefined for the edge, which has none. */
  readonly ranks: number | undefined;
}

/** What the banner tells of a cluster. */
export interface BannerFacts {
  /** Address of the edge. */
  readonly url: string;
  readonly model: string;
  readonly members: readonly BannerMember[];
  /** Name of the parent-session header; undefined when sub-agent affinity is off. */
  readonly parentHeader: string | undefined;
}

/** What a user wants to know of a cluster that has just started. */
export function banner(facts: BannerFacts, { bold, dim }: Colors): string {
  const { url, model, parentHeader } = facts;
  const body = JSON.stringify({
    model,
    messages: [{ role: 'user', content: 'Hello' }],
  });
  return [
    '',
    `${bold('Roost is up')} at ${bold(url)} (OpenAI API under ${url}/v1)`,
    fleetTable(facts.members),
    `Sub-agents name their parent session in ${parentHeader === undefined ? 'no header: sub-agent affinity is off' : bold(parentHeader)}`,
    '',
    'Try it:',
    `  curl ${url}/v1/chat/completions -H 'content-type: application/json' -d '${body}'`,
    `  npm run demo${url === defaultUrl ? '' : ` -- --url ${url}`}   shows sub-agent affinity, with the header and without`,
    '',
    dim('Ctrl-C stops everything.'),
    '',
  ].join('\n');
}

function fleetTable(members: readonly BannerMember[]): string {
  const table = new Table({
    head: ['name', 'role', 'url', 'ranks'],
    style: { head: [], border: [], compact: true },
  });
  for (const { name, role, url, ranks } of members) table.push([name, role, url, String(ranks ?? '-')]);
  return table.toString();
}
