import { Injectable } from '@nestjs/common';
import { Logger } from 'nestjs-pino';

/** Parts of Nest that tell of every module and route at start, which nobody who runs an app wants to know. */
const BOOTSTRAP_CONTEXTS = new Set([
  'InstanceLoader',
  'NestFactory',
  'NestApplication',
  'NestMicroservice',
  'RouterExplorer',
  'RoutesResolver',
]);

/** What Nest and its providers log through: pino, without Nest's own news of its start. */
@Injectable()
export class AppLogger extends Logger {
  override log(message: unknown, ...parameters: unknown[]): void {
    const context = parameters.at(-1);
    if (typeof context === 'string' && BOOTSTRAP_CONTEXTS.has(context)) return;
    super.log(message, ...parameters);
  }
}
