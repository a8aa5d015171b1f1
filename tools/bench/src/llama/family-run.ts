import type { DemoAnswer, DemoRequest } from '@roost/cli';
import { handbook } from '@roost/cli';

/** What came of a parent's request and of the first ones of two sub-agents, which ask the same. */
export interface FamilyRun {
  readonly parent: DemoAnswer;
  /** Of the sub-agent that named its parent. */
  readonly withHeader: DemoAnswer;
  /** Of the one that did not. */
  readonly withoutHeader: DemoAnswer;
}

const QUESTION = 'The nightly import has become slow. Plan how to find out why.';
const TASK = "Take the first step of the plan: read the import's queries and list those without an index.";

/**
 * Has a parent read a system prompt of about 2,000 tokens that nobody has seen, and then its two sub-agents ask, one after
 * the other: in turns the one or the other is first, so that no order of theirs can make the difference.
 *
 * @param salt makes the prompt and the sessions unlike any other run's
 */
export async function runFamily(
  salt: string,
  headerFirst: boolean,
  send: (request: DemoRequest) => Promise<DemoAnswer>,
): Promise<FamilyRun> {
  const seen = [
    { role: 'system', content: handbook(salt) },
    { role: 'user', content: QUESTION },
  ] as const;
  const parentSession = `parent-${salt}`;
  const parent = await send({
    run: 'with_parent_header',
    name: 'parent',
    sessionId: parentSession,
    parentSessionId: null,
    messages: seen,
  });
  const ask = (run: DemoRequest['run'], parentSessionId: string | null): Promise<DemoAnswer> =>
    send({
      run,
      name: 'sub-agent',
      sessionId: `sub-${run}-${salt}`,
      parentSessionId,
      messages: [...seen, { role: 'assistant', content: parent.text }, { role: 'user', content: TASK }],
    });
  const withIt = (): Promise<DemoAnswer> => ask('with_parent_header', parentSession);
  const withoutIt = (): Promise<DemoAnswer> => ask('without_parent_header', null);
  if (headerFirst) {
    const withHeader = await withIt();
    return { parent, withHeader, withoutHeader: await withoutIt() };
  }
  const withoutHeader = await withoutIt();
  return { parent, withHeader: await withIt(), withoutHeader };
}
