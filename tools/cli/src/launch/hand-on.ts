import type { ClusterConfig, WorkerConfig } from '@roost/config';
import { stringify } from 'yaml';

const keyVariable = 'ROOST_INTERNAL_REQUEST_AUTH_KEY';

/** How a child process gets its configuration. */
export interface HandedOn {
  /** A file that is there already, or the text of one to be written for this child. */
  readonly config: { readonly file: string } | { readonly text: string };
  /** The child's environment. No key ever is in a text or an argument: keys are handed on here alone. */
  readonly env: NodeJS.ProcessEnv;
}

/** What the launch of a cluster was configured by. */
export interface LaunchSource {
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether the cluster's key was drawn by the launch, and is in neither of the two. */
  readonly keyIsDrawn: boolean;
}

/**
 * The edge reads the launch's own file under the launch's own environment, with what only the launch knows set beside it:
 * the port and a drawn key.
 */
export function handOnToEdge(cluster: ClusterConfig, port: number, source: LaunchSource): HandedOn {
  const { internal_request_auth_key: key } = cluster;
  const drawn = source.keyIsDrawn && key !== null ? keyEverywhere(cluster, key.reveal()) : {};
  return {
    config: { file: source.file },
    // The launch reads the children's lines, and makes them readable itself.
    env: { ...source.env, ...drawn, ROOST_PORT: String(port), ROOST_LOGGING__PRETTY: 'false' },
  };
}

/**
 * A worker reads its part of the cluster's configuration in effect. Nothing of the environment that configured the launch
 * may configure it a second time: `ROOST_PORT` is the edge's.
 */
export function handOnToWorker(config: WorkerConfig, env: NodeJS.ProcessEnv): HandedOn {
  const { internal_request_auth_key: key, internal_request_auth_previous_keys: previous, logging } = config;
  const keys = key === null ? [] : [key, ...previous];
  const named = keys.map(
    (each, index) => [index === 0 ? keyVariable : `${keyVariable}_${String(index)}`, each] as const,
  );
  const [first, ...others] = named.map(([name]) => `env:${name}`);
  const settings = {
    ...Object.fromEntries(Object.entries(config)),
    internal_request_auth_key: first ?? null,
    internal_request_auth_previous_keys: others,
    logging: { level: logging.level, pretty: false },
  };
  return {
    config: { text: stringify(settings, { aliasDuplicateObjects: false, lineWidth: 0 }) },
    env: {
      ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ROOST_'))),
      ...Object.fromEntries(named.map(([name, secret]) => [name, secret.reveal()])),
    },
  };
}

/** A file may ask for a key to be drawn at its top level and in its sections; the variable must outrank each. */
function keyEverywhere(cluster: ClusterConfig, key: string): Record<string, string> {
  const variables: Record<string, string> = { [keyVariable]: key };
  for (const section of ['context_servers', 'generation_servers'] as const)
    if (cluster[section] !== null) variables[`ROOST_${section.toUpperCase()}__INTERNAL_REQUEST_AUTH_KEY`] = key;
  return variables;
}
