import type { ChatMessage, DemoRequest, DemoRun } from './demo-request.js';
import type { DemoAnswer } from './edge-client.js';
import { handbook } from './handbook.js';

const question: ChatMessage = {
  role: 'user',
  content:
    'The nightly import has become slow. Plan how to find out why, and split the plan into two investigations that can run side by side.',
};

const tasks = [
  {
    name: 'sub-agent A',
    task: "You take the first investigation: read the import's queries and list those without an index.",
  },
  {
    name: 'sub-agent B',
    task: "You take the second investigation: compare the row counts of last week's imports and point out what grew.",
  },
] as const;

/**
 * One run of the scenario: a parent asks, then its two sub-agents take over what the parent has seen and work side by
 * side, each in a conversation of its own. `salt` makes the run's prompts and sessions unlike any other's.
 */
export async function runScenario(
  run: DemoRun,
  salt: string,
  send: (request: DemoRequest) => Promise<DemoAnswer>,
): Promise<readonly DemoAnswer[]> {
  const leading: readonly ChatMessage[] = [{ role: 'system', content: handbook(salt) }, question];
  const parent = await send({
    run,
    name: 'parent',
    sessionId: `parent-${salt}`,
    parentSessionId: null,
    messages: leading,
  });
  const subAgents = await Promise.all(
    tasks.map(({ name, task }, index) =>
      send({
        run,
        name,
        sessionId: `sub-${'ab'.charAt(index)}-${salt}`,
        parentSessionId: run === 'with_parent_header' ? `parent-${salt}` : null,
        messages: [...leading, { role: 'assistant', content: parent.text }, { role: 'user', content: task }],
      }),
    ),
  );
  return [parent, ...subAgents];
}
