import { ALL_POLICIES, POLICIES, type Policy } from '@roost/replay';
import { InvalidArgumentError, Option } from 'commander';

import { inCallersDirectory } from '../callers-directory.js';

import { loadPolicies } from './load-policies.js';

/** What the options below come to. */
export interface PolicyFlags {
  readonly policies: readonly Policy[];
  readonly allBaselines?: true;
}

/** Which policies to compare: by name, or those of a file beside the baselines. */
export function policiesOption(): Option {
  return new Option('--policies <names or file>', 'comma-separated, or a YAML file of more')
    .argParser(parsePolicies)
    .default(POLICIES, namesOf(POLICIES));
}

/** In place of naming them all. */
export function allBaselinesOption(): Option {
  const others = ALL_POLICIES.filter((policy) => !POLICIES.includes(policy));
  return new Option('--all-baselines', `beside the default policies the what-ifs ${namesOf(others)}`).conflicts(
    'policies',
  );
}

/** The policies that were asked for. */
export function chosenPolicies({ policies, allBaselines }: PolicyFlags): readonly Policy[] {
  return allBaselines === true ? ALL_POLICIES : policies;
}

function parsePolicies(text: string): readonly Policy[] {
  if (/\.(ya?ml|json)$/.test(text)) return loadPolicies(inCallersDirectory(text));
  return text.split(',').map((name) => {
    const policy = ALL_POLICIES.find((each) => each.name === name.trim());
    if (policy === undefined)
      throw new InvalidArgumentError(`There is no ${name}; there are ${namesOf(ALL_POLICIES)}.`);
    return policy;
  });
}

function namesOf(policies: readonly Policy[]): string {
  return policies.map(({ name }) => name).join(', ');
}
