const areas = [
  ['the public interface', 'a caller', 'its contract'],
  ['the storage layer', 'a record', 'its schema'],
  ['the scheduler', 'a job', 'its deadline'],
  ['the configuration', 'an option', 'its default'],
  ['the command line', 'a flag', 'its help text'],
  ['the test suite', 'a fixture', 'its purpose'],
  ['the build', 'a target', 'its inputs'],
  ['the logs', 'an entry', 'its level'],
  ['the metrics', 'a counter', 'its label set'],
  ['the documentation', 'a page', 'its reader'],
] as const;

type Rule = (area: string, thing: string, property: string) => string;

const rules: readonly Rule[] = [
  (area, thing, property) =>
    `Before you change ${area}, find every place that depends on ${thing} and write down what it expects of ${property}.`,
  (area, thing) =>
    `Keep a change to ${area} small enough that a reviewer can hold all of it in mind, and never mix it with a rename of ${thing}.`,
  (area, thing, property) =>
    `When ${area} disagrees with what was asked for, say so first, name ${thing} that shows it, and propose how ${property} should read.`,
  (area, thing, property) =>
    `A fault in ${area} gets a failing test before a fix; the test names ${thing} and states ${property} in plain words.`,
  (area, thing, property) =>
    `Hand work on ${area} to a sub-agent only when ${thing} can be understood alone, and pass on ${property} together with the task.`,
  (area, thing, property) =>
    `Report on ${area} with the command that you ran, the output that matters, and what is still unknown about ${thing} or ${property}.`,
];

/**
 * A system prompt as coding agents have them: about 2,000 tokens of rules, the same for all agents of one workspace. Two
 * workspaces' prompts differ from the first line on, so that they share no cached prefix.
 */
export function handbook(workspace: string): string {
  const sections = areas.map(([area, thing, property], index) =>
    [`## ${String(index + 1)}. On ${area}`, ...rules.map((rule) => `- ${rule(area, thing, property)}`)].join('\n'),
  );
  return [
    `Workspace ${workspace}. You are an engineer's assistant in this workspace, and you work by these rules.`,
    ...sections,
    'Answer briefly. When a rule does not fit, say which and why.',
  ].join('\n\n');
}
