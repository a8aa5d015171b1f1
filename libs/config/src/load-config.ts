import path from 'node:path';

import type { ConfigOptions, LoadedConfig } from './config-options.js';
import { buildClusterConfig } from './parse-cluster-config.js';
import { buildWorkerConfig } from './parse-worker-config.js';
import type { ClusterConfig } from './schema/cluster-config.js';
import type { WorkerConfig } from './schema/worker-config.js';
import type { Environment } from './source/environment.js';
import { readSource } from './source/read-source.js';

/**
 * Reads a cluster file.
 *
 * @throws ConfigError when it cannot be read, and with everything that is wrong in it
 */
export function loadClusterConfig(
  file: string,
  env: Environment,
  options: Omit<ConfigOptions, 'env'> = {},
): LoadedConfig<ClusterConfig> {
  return buildClusterConfig(readSource(file), inFolderOf(file, env, options));
}

/**
 * Reads a worker's file.
 *
 * @throws ConfigError when it cannot be read, and with everything that is wrong in it
 */
export function loadWorkerConfig(
  file: string,
  env: Environment,
  options: Omit<ConfigOptions, 'env'> = {},
): LoadedConfig<WorkerConfig> {
  return buildWorkerConfig(readSource(file), inFolderOf(file, env, options));
}

function inFolderOf(file: string, env: Environment, options: ConfigOptions): ConfigOptions {
  return { folder: path.dirname(file), ...options, env };
}
