import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

import { EDGE_METRICS, type MetricDefinition, PROCESS_METRICS, WORKER_METRICS } from './definitions.js';
import { metricsMarkdown } from './markdown.js';

// Owns: that the document is current, and that dashboard and alert rules name only metrics, series and labels that exist.

const docs = path.resolve(import.meta.dirname, '../../../../docs');
const read = (name: string): string => readFileSync(path.join(docs, name), 'utf8');

/** What Prometheus adds to every series, and what workers have on each of theirs. */
const ADDED = ['instance', 'job', 'le', 'fleet'];

const definitions = new Map<string, MetricDefinition>();
for (const definition of [EDGE_METRICS, WORKER_METRICS, PROCESS_METRICS].flatMap((group) => Object.values(group))) {
  for (const series of seriesOf(definition)) definitions.set(series, definition);
}

function seriesOf({ name, type }: MetricDefinition): string[] {
  return type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name];
}

/** What is wrong with an expression, as far as names go. */
function problemsOf(expression: string): string[] {
  const problems: string[] = [];
  const bare = expression.replace(/"[^"]*"/g, '""');
  for (const [, name = '', matchers = ''] of bare.matchAll(/\b((?:roost|process)_\w+)(?:\{([^}]*)\})?/g)) {
    const definition = definitions.get(name);
    if (definition === undefined) problems.push(`${name} does not exist`);
    const labels = [...matchers.matchAll(/(\w+)\s*[!=]/g)].map(([, label = '']) => label);
    const unknown = labels.filter((label) => ![...(definition?.labels ?? []), ...ADDED].includes(label));
    if (unknown.length > 0) problems.push(`${name} has no label ${unknown.join(', ')}`);
  }
  const known = [...definitions.values()].flatMap(({ labels }) => labels).concat(ADDED);
  for (const [, list = ''] of bare.matchAll(/\bby \(([^)]*)\)/g)) {
    const unknown = list.split(/,\s*/).filter((label) => !known.includes(label));
    if (unknown.length > 0) problems.push(`nothing has the label ${unknown.join(', ')}`);
  }
  return problems;
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

interface Alerts {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

const dashboard = JSON.parse(read('grafana/roost.json')) as Dashboard;
const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }): [string, string] => [title, expr]),
);
const rules = (parse(read('prometheus/alerts.yaml')) as Alerts).groups.flatMap((group) => group.rules);

describe('what operators are given', () => {
  it('has a current document: run node libs/observability/dist/generate-docs.js', () => {
    expect(read('metrics.md') === metricsMarkdown()).toBe(true);
  });

  it.each(panels)('the panel %s shows what exists: %s', (_title, expression) => {
    expect(problemsOf(expression)).toEqual([]);
  });

  it.each(rules.map(({ alert, expr }): [string, string] => [alert, expr]))(
    'the alert %s asks for what exists',
    (_, expression) => {
      expect(problemsOf(expression)).toEqual([]);
    },
  );

  it('has panels with ids of their own, and no two alerts of one name', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    expect(panels.length).toBeGreaterThan(30);
  });

  it('notices a wrong metric, a histogram without its part, and a wrong label', () => {
    expect(problemsOf('rate(roost_nothing_total[5m])')).toEqual(['roost_nothing_total does not exist']);
    expect(problemsOf('rate(roost_request_seconds[5m])')).toEqual(['roost_request_seconds does not exist']);
    expect(problemsOf('roost_requests_total{conversation="x"}')).toEqual([
      'roost_requests_total has no label conversation',
    ]);
    expect(problemsOf('sum by (user) (roost_bindings)')).toEqual(['nothing has the label user']);
  });
});

describe('the definitions', () => {
  const all = [EDGE_METRICS, WORKER_METRICS, PROCESS_METRICS].flatMap((group): MetricDefinition[] =>
    Object.values(group),
  );

  it('have names of their own that say their unit', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    for (const { name, type, meaning } of all) {
      expect(name.endsWith('_total')).toBe(type === 'counter');
      expect(type !== 'histogram' || name.endsWith('_seconds')).toBe(true);
      expect(meaning).toMatch(/\S\.$/);
    }
  });

  it('have no label that could name a client', () => {
    const labels = new Set(all.flatMap((definition) => definition.labels));
    expect([...labels].sort()).toEqual(
      [
        'app',
        'decision',
        'direction',
        'endpoint',
        'engine',
        'fleet',
        'leg',
        'model',
        'outcome',
        'proof',
        'quantile',
        'rank',
        'reason',
        'route',
        'version',
        'worker',
      ].sort(),
    );
  });
});
