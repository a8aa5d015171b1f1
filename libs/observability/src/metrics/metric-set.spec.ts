import { describe, expect, it } from '@jest/globals';

import { BoundedValues } from './bounded-values.js';
import { MetricSet } from './metric-set.js';
import { createAppMetrics } from './process-metrics.js';

// Owns: that metrics are recorded and read as they are defined, and that labels stay few.

const DEFINITIONS = {
  calls: { name: 'calls_total', type: 'counter', meaning: 'Calls.', unit: 'calls', labels: ['kind'] },
  depth: { name: 'depth', type: 'gauge', meaning: 'Depth.', unit: '1', labels: ['queue'] },
  time: { name: 'time_seconds', type: 'histogram', meaning: 'Time.', unit: 'seconds', labels: [], buckets: [1, 2] },
} as const;

async function seriesOf(set: MetricSet<typeof DEFINITIONS>): Promise<string[]> {
  return (await set.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('MetricSet', () => {
  it('adds, observes and labels', async () => {
    const set = new MetricSet(DEFINITIONS, { fleet: 'context' });
    set.add('calls', { kind: 'a' }, 2);
    set.add('calls', { kind: 'a' });
    set.observe('time', 1.5);
    expect(await seriesOf(set)).toEqual([
      'calls_total{kind="a",fleet="context"} 3',
      'time_seconds_bucket{le="1",fleet="context"} 0',
      'time_seconds_bucket{le="2",fleet="context"} 1',
      'time_seconds_bucket{le="+Inf",fleet="context"} 1',
      'time_seconds_sum{fleet="context"} 1.5',
      'time_seconds_count{fleet="context"} 1',
    ]);
  });

  it('reads at every scrape, and forgets what is not read again', async () => {
    const set = new MetricSet(DEFINITIONS);
    let queues = ['a', 'b'];
    set.read('depth', () => queues.map((queue) => [{ queue }, 7]));
    set.read('calls', () => [[{ kind: 'kept elsewhere' }, 4]]);
    expect(await seriesOf(set)).toEqual(
      expect.arrayContaining(['depth{queue="a"} 7', 'depth{queue="b"} 7', 'calls_total{kind="kept elsewhere"} 4']),
    );
    queues = ['b'];
    const again = await seriesOf(set);
    expect(again).not.toContain('depth{queue="a"} 7');
    expect(again).toContain('calls_total{kind="kept elsewhere"} 4');
  });

  it('refuses to record what is defined as something else', () => {
    const set = new MetricSet(DEFINITIONS);
    expect(() => set.add('depth')).toThrow('not a counter');
    expect(() => set.observe('calls', 1)).toThrow('not a histogram');
    expect(() => set.readOne('time', () => 1)).toThrow('cannot be read');
  });
});

describe('createAppMetrics', () => {
  it('tells of the process', async () => {
    const text = await createAppMetrics('edge', '1.2.3', {}).text();
    expect(text).toContain('roost_build_info{app="edge",version="1.2.3"} 1');
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'roost_heap_used_bytes']) {
      expect(Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])).toBeGreaterThan(0);
    }
    expect(text).toMatch(/^roost_event_loop_delay_seconds\{quantile="0.99"\} \d/m);
  });
});

describe('BoundedValues', () => {
  it('keeps the first values, and calls all others other', () => {
    const values = new BoundedValues(2);
    expect(['a', 'b', 'c', 'a', 'c'].map((value) => values.of(value))).toEqual(['a', 'b', 'other', 'a', 'other']);
  });
});
