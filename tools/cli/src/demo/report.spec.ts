import { describe, expect, it } from '@jest/globals';

import type { DemoResult } from './demo-request.js';
import { answerLines, conclusion, resultTable, whyIdle } from './report.js';

const parent: DemoResult = {
  run: 'with_parent_header',
  name: 'parent',
  session_id: 'parent-1',
  parent_session_id: null,
  routing_key: 'parent-1',
  conversation_id: 'parent-1',
  context_instance: '127.0.0.1:8101',
  context_rank: 1,
  context_decision: 'new',
  generation_instance: '127.0.0.1:8201',
  generation_rank: 0,
  generation_decision: 'new',
  request_id: '42',
  prompt_tokens: 2000,
  cached_tokens: 0,
  ttft_ms: 260.4,
};

const subAgent = (more: Partial<DemoResult>): DemoResult => ({
  ...parent,
  name: 'sub-agent',
  session_id: 'sub-1',
  conversation_id: 'sub-1',
  parent_session_id: 'parent-1',
  prompt_tokens: 2100,
  cached_tokens: 1984,
  ttft_ms: 30,
  ...more,
});

describe('resultTable', () => {
  it('has a column for each request and a row for each fact, of at most 100 characters a line', () => {
    const table = resultTable([parent, subAgent({ name: 'sub-agent A' }), subAgent({ name: 'sub-agent B' })]);
    expect(table).toMatchInlineSnapshot(`
     "┌───────────────────┬────────────────┬────────────────┬────────────────┐
     │                   │ parent         │ sub-agent A    │ sub-agent B    │
     ├───────────────────┼────────────────┼────────────────┼────────────────┤
     │ session id        │ parent-1       │ sub-1          │ sub-1          │
     │ parent session    │ -              │ parent-1       │ parent-1       │
     │ routing key       │ parent-1       │ parent-1       │ parent-1       │
     │ conversation id   │ parent-1       │ sub-1          │ sub-1          │
     │ context instance  │ 127.0.0.1:8101 │ 127.0.0.1:8101 │ 127.0.0.1:8101 │
     │ context rank      │ 1              │ 1              │ 1              │
     │ prompt tokens     │ 2,000          │ 2,100          │ 2,100          │
     │ cached tokens     │ 0              │ 1,984          │ 1,984          │
     │ first token after │ 260 ms         │ 30 ms          │ 30 ms          │
     └───────────────────┴────────────────┴────────────────┴────────────────┘"
    `);
    expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('shows what the edge did not tell as unknown', () => {
    const table = resultTable([
      { ...parent, context_instance: null, context_rank: null, cached_tokens: null, ttft_ms: null },
    ]);
    expect(table.match(/│ - +│/g)).toHaveLength(5);
  });
});

describe('answerLines', () => {
  it('has a line for each answer, which cannot steer the terminal', () => {
    const answers = [
      { text: 'Look at\n\nthe queries.', result: parent },
      { text: '\u001b[2J', result: subAgent({ name: 'sub-agent A' }) },
    ];
    expect(answerLines(answers)).toBe('parent: Look at the queries.\nsub-agent A: \\u001b[2J');
  });
});

describe('conclusion', () => {
  it('says that both sub-agents ran at their parent, and the share of their prompts that was cached', () => {
    expect(conclusion([parent, subAgent({}), subAgent({})])).toBe(
      "With the parent header: both sub-agents were placed on their parent's instance and rank, and 3,968 of the sub-agents' 4,200 prompt tokens (94 %) were cached there.",
    );
  });

  it('counts another rank of the same instance as another place', () => {
    expect(
      conclusion([
        { ...parent, run: 'without_parent_header' },
        subAgent({ context_rank: 0, cached_tokens: 0 }),
        subAgent({ context_instance: '127.0.0.1:8102', cached_tokens: 0 }),
      ]),
    ).toBe(
      "Without the parent header: no sub-agent was placed where its parent's cache is, and 0 of the sub-agents' 4,200 prompt tokens (0 %) were cached there.",
    );
  });

  it('claims no common place when the edge told none', () => {
    const untold = { context_instance: null, context_rank: null };
    expect(conclusion([{ ...parent, ...untold }, subAgent(untold)])).toContain('no sub-agent was placed');
  });
});

describe('what the edge does not do or tell', () => {
  it('is no claim about where sub-agents went', () => {
    const untold = { generation_instance: null, context_instance: null, context_rank: null };
    expect(conclusion([{ ...parent, ...untold }, subAgent(untold), subAgent(untold)])).toBe(
      'With the parent header: the edge does not tell where it places requests, as edge.explain_headers is off, and ' +
        "3,968 of the sub-agents' 4,200 prompt tokens (94 %) were cached there.",
    );
  });

  it.each([
    ['X-Parent', 'x-parent', null],
    ['X-Parent', null, 'sub-agent affinity is off on this edge: conversation_affinity_header_for_subagents is not set'],
    ['X-Foo', 'X-Parent', 'this edge looks for the parent session in X-Parent, not in X-Foo'],
  ])('is said of %s where the edge has %s', (header, configured, why) => {
    expect(whyIdle(header, configured)).toBe(why);
  });
});
