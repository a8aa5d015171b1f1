export { AppLogger } from './app-logger.js';
export { LoggingModule, type LoggingOptions } from './logging.module.js';
export { PinoLogger } from 'nestjs-pino';
