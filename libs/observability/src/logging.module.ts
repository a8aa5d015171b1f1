import { type DynamicModule, Module } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import type { Level } from 'pino';

import { AppLogger } from './app-logger.js';

/** How an app logs. */
export interface LoggingOptions {
  /** The app's name in every line, e.g. `edge`. */
  readonly name: string;
  readonly level: Level | 'silent';
}

/**
 * Structured logs: one JSON object a line on standard output, with the app's name and the time in ISO 8601. Requests are
 * logged by those who serve them, once, with ids and figures; prompts and secrets are never handed to the logger.
 */
@Module({})
export class LoggingModule {
  static with({ name, level }: LoggingOptions): DynamicModule {
    return {
      module: LoggingModule,
      imports: [
        LoggerModule.forRoot({
          // No logger of its own, with a context to carry it, for each request: lines about requests say which.
          forRoutes: [],
          pinoHttp: {
            level,
            base: { app: name },
            autoLogging: false,
            quietReqLogger: true,
            timestamp: () => `,"time":"${new Date().toISOString()}"`,
            formatters: { level: (label) => ({ level: label }) },
          },
        }),
      ],
      providers: [AppLogger],
      exports: [AppLogger],
    };
  }
}
