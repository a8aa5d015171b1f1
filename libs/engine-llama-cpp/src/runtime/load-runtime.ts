import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Jinja, Llama, NodeLlamaCpp } from './node-llama-cpp.js';

/** The version of node-llama-cpp that this engine is written for: what it saves, no other version is sure to load. */
export const LIBRARY_VERSION = '3.21.1';

/** Where `npm run llama:install` puts the runtime: a folder of this package. */
const OWN_PLACE = path.resolve(import.meta.dirname, '..', '..', 'runtime');

/** The runtime is not installed, or is not the one needed. The message says what to do. */
export class RuntimeMissing extends Error {
  override readonly name = 'RuntimeMissing';
}

/** The parts of the runtime, ready to use. */
export interface Runtime {
  readonly library: NodeLlamaCpp;
  readonly llama: Llama;
  readonly jinja: Jinja;
  /** Library and llama.cpp release, e.g. `3.21.1+v0.4.0`. */
  readonly version: string;
}

/**
 * The folder that holds the runtime's `node_modules`: the given one, else the one that it is installed in by default.
 *
 * @throws RuntimeMissing when the runtime is not there, or is of another version
 */
export function findRuntime(given: string | null = null): string {
  const place = given ?? OWN_PLACE;
  const manifest = path.join(place, 'node_modules', 'node-llama-cpp', 'package.json');
  if (!existsSync(manifest)) {
    throw new RuntimeMissing(
      `the llama.cpp runtime is not installed${given === null ? '' : ` in ${given}`}: run \`npm run llama:install\` (about 730 MB)`,
    );
  }
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string };
  if (version !== LIBRARY_VERSION) {
    throw new RuntimeMissing(
      `node-llama-cpp in ${place} is ${String(version)}, not ${LIBRARY_VERSION}: run \`npm run llama:install\``,
    );
  }
  return place;
}

/** Loaded once for a process, however many engines it has. */
const loaded = new Map<string, Promise<Runtime>>();

/**
 * Loads the runtime.
 *
 * @param useGpu whether a GPU may be used where there is one
 * @throws RuntimeMissing as {@link findRuntime}; Error when the library does not run on this machine
 */
export async function loadRuntime(given: string | null, useGpu: boolean): Promise<Runtime> {
  const place = findRuntime(given);
  const key = `${place} ${String(useGpu)}`;
  const runtime = loaded.get(key) ?? load(place, useGpu);
  loaded.set(key, runtime);
  return await runtime;
}

async function load(place: string, useGpu: boolean): Promise<Runtime> {
  const require = createRequire(path.join(place, 'package.json'));
  const imported = (name: string): Promise<unknown> => import(pathToFileURL(require.resolve(name)).href);
  const library = (await imported('node-llama-cpp')) as NodeLlamaCpp;
  const jinja = (await imported('@huggingface/jinja')) as Jinja;
  const llama = await withoutNodeArguments(() =>
    library.getLlama({
      gpu: useGpu ? 'auto' : false,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      logLevel: 'error',
    }),
  );
  return { library, jinja, llama, version: `${LIBRARY_VERSION}+${llama.llamaCppRelease.release}` };
}

/**
 * The library first tries its binary in a child, which would be given this process's arguments of Node.js: with modules
 * that tie a worker's life to its launcher's, the child ends too early.
 */
async function withoutNodeArguments<T>(start: () => Promise<T>): Promise<T> {
  const own = process.execArgv;
  process.execArgv = [];
  try {
    return await start();
  } finally {
    process.execArgv = own;
  }
}
