import { Choice, Flag } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';

/** Least severe lines that are written. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What is logged, and how. */
@Group({
  title: 'logging',
  meaning:
    'What is logged, and how. Written at the top level of a cluster file it holds for the edge and, unless a section says otherwise, for its workers.',
  source: 'ours',
  ignored: [],
})
export class LoggingSettings {
  @Choice('Least severe lines that are written.', LOG_LEVELS)
  readonly level: LogLevel = 'info';

  @Flag('Lines for people instead of JSON.')
  readonly pretty: boolean = false;
}
