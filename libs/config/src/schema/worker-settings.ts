import { Text, Whole } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';

/** A worker as a server. */
@Group({
  title: 'worker',
  meaning: 'A worker as a server.',
  source: 'ours',
  ignored: [],
})
export class WorkerSettings {
  @Whole('Requests that may wait for a rank; past it the worker answers that it is overloaded.', {
    unit: 'requests',
    min: 0,
  })
  readonly max_queued_requests: number = 1024;

  @Whole('How long in-flight requests may go on after SIGTERM.', {
    unit: 's',
    min: 0,
  })
  readonly shutdown_timeout_s: number = 30;

  @Whole(
    'Port of `hostname` on which Prometheus metrics are shown; null: none, 0: a free one. In a cluster file the first worker of a section has this one, each further worker the next that no other worker has.',
    { min: 0, max: 65_535, nullable: true },
  )
  readonly metrics_port: number | null = null;

  @Text('Host under which other workers reach this one to fetch KV caches; `hostname` where it is null.', {
    nullable: true,
  })
  readonly advertise_host: string | null = null;
}
