import { homedir } from 'node:os';
import path from 'node:path';

/** Names of the models that `roost model` makes or fetches, and the files that they are kept in. */
export const MODEL_FILES = {
  tiny: 'roost-tiny.gguf',
  'smollm2-135m': 'SmolLM2-135M-Instruct.Q8_0.gguf',
} as const;

/** The folder that models are kept in: what `ROOST_MODELS` names, else `~/.cache/roost/models`. */
export function modelsDirectory(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment['ROOST_MODELS'] ?? path.join(homedir(), '.cache', 'roost', 'models');
}

/** The file that `engine.llama_cpp.model_path` means: that of a model known by name, else the path itself. */
export function modelFile(nameOrPath: string, directory = modelsDirectory()): string {
  return isModelName(nameOrPath) ? path.join(directory, MODEL_FILES[nameOrPath]) : nameOrPath;
}

function isModelName(name: string): name is keyof typeof MODEL_FILES {
  return Object.hasOwn(MODEL_FILES, name);
}
