import { ConfigError } from '../config-error.js';

/**
 * The error that reading a configuration ends with, for tests to look into.
 *
 * @throws Error when it does not end with a ConfigError
 */
export function refusalOf(read: () => unknown): ConfigError {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}
