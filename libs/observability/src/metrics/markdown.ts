import {
  EDGE_METRICS,
  type MetricDefinition,
  type MetricDefinitions,
  PROCESS_METRICS,
  WORKER_METRICS,
} from './definitions.js';

/** docs/metrics.md, made of the definitions. */
export function metricsMarkdown(): string {
  return `${[
    '# Metrics',
    '',
    'Prometheus text at `/metrics`: of an edge on the port that clients use, of a worker on `worker.metrics_port`, which is off unless it',
    'is set. In [local.yaml](../tools/cluster/local.yaml) workers use 9101, 9102 (context) and 9201, 9202 (generation), in the containers of',
    '[docker-compose.yml](../docker-compose.yml) 9464. Labels take few values: none is a conversation id or anything else that a client',
    'chooses, and `model` is only ever a model that a worker serves. `worker` is an instance’s address as the edge’s configuration has it',
    '(`instance` is Prometheus’ own). Every histogram has `_bucket`, `_sum` and `_count`.',
    '',
    'This file is written by `node libs/observability/dist/generate-docs.js`.',
    '[A dashboard](grafana/roost.json) and [alert rules](prometheus/alerts.yaml) name only what is listed here.',
    ...section('Edge', [], EDGE_METRICS),
    ...section('Worker', WORKER_LABELS, WORKER_METRICS),
    ...section('Every process', [], PROCESS_METRICS),
  ].join('\n')}\n`;
}

const WORKER_LABELS = [
  'All of these, and those of every process, have the label `fleet` too: `context`, `generation` or `both`.',
  '',
];

function section(title: string, introduction: readonly string[], definitions: MetricDefinitions): string[] {
  const head = ['| name | type | unit | labels | meaning |', '| --- | --- | --- | --- | --- |'];
  return ['', `## ${title}`, '', ...introduction, ...head, ...Object.values(definitions).map(row)];
}

function row({ name, type, unit, labels, meaning }: MetricDefinition): string {
  const named = labels.map((label) => `\`${label}\``).join(', ');
  return `| \`${name}\` | ${type} | ${unit} | ${named} | ${meaning} |`;
}
