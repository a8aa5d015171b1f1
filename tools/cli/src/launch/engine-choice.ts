import { existsSync } from 'node:fs';
import path from 'node:path';

import type { ClusterConfig } from '@roost/config';
import { findRuntime, modelFile, RuntimeMissing } from '@roost/engine-llama-cpp';

import { CliError } from '../cli-error.js';
import { inputFile } from '../commands/input-file.js';

/** The engine and model that a user chose on the command line. */
export interface EngineChoice {
  readonly engine?: string;
  readonly model?: string;
}

/** The environment with the variables that make workers run what was chosen, under the name of the model's file. */
export function engineEnvironment({ engine, model }: EngineChoice, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isFile = model !== undefined && modelFile(model) === model;
  return {
    ...env,
    ...(engine !== undefined && { ROOST_ENGINE__TYPE: engine }),
    ...(model !== undefined && {
      ROOST_ENGINE__LLAMA_CPP__MODEL_PATH: isFile ? path.resolve(inputFile(model)) : model,
      ROOST_MODEL: path.basename(model, '.gguf'),
    }),
  };
}

/**
 * Makes sure that what the workers' engines need is on this machine.
 *
 * @throws CliError that says how to get it
 */
export function checkEngines(cluster: ClusterConfig): void {
  for (const section of [cluster.context_servers, cluster.generation_servers]) {
    if (section?.engine.type !== 'llama-cpp') continue;
    const { runtime_path: place, model_path: model } = section.engine.llama_cpp;
    try {
      findRuntime(place);
    } catch (error) {
      if (!(error instanceof RuntimeMissing)) throw error;
      throw new CliError(error.message);
    }
    const file = modelFile(model);
    if (existsSync(file)) continue;
    const advice =
      file === model ? 'give the path of a GGUF file' : `get it with \`npm run roost model ${wayOf(model)}\``;
    throw new CliError(`there is no model at ${file}: ${advice}`);
  }
}

function wayOf(model: string): string {
  return model === 'tiny' ? model : `fetch ${model}`;
}
