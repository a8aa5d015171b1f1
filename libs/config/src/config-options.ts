import type { Environment } from './source/environment.js';

/** What a configuration depends on beside its text. */
export interface ConfigOptions {
  /** Overrides, and what `env:` refers to. None unless given. */
  readonly env?: Environment;
  /** The folder that `file:` paths are relative to; unless given, the file's own, or the current one for a text. */
  readonly folder?: string;
  /** Draws a key where the file says `generate`. Given by a launch that starts the edge and all workers itself; else `generate` is a problem. */
  readonly generateKey?: () => string;
  /** The `node_id` of a file that has none; this machine's unless given. */
  readonly nodeId?: () => number;
}

/** A configuration that can be used, deeply frozen, and what its author should know of it. */
export interface LoadedConfig<T> {
  readonly config: T;
  readonly warnings: readonly string[];
}
