import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PREFIX = 'roost-llama-';
const IN_MEMORY = '/dev/shm';
/** Less than this is what containers are given by default, and too little for states. */
const LEAST_MEMORY_BYTES = 512 * 1024 * 1024;

/** Folders of this process, which are not left behind by an earlier one of the same number. */
const ownFolders = new Set<string>();

/** A private folder for states on their way between sequences, gone with its process or when the next one starts. */
export class StateFiles {
  private readonly folder: string;
  private count = 0;
  private readonly removeAtExit = (): void => this.close();

  /**
   * Makes the folder, and removes those that dead processes left.
   *
   * @param place where; null: in memory where there is enough, else where the system keeps temporary files
   */
  constructor(place: string | null) {
    const parent = place ?? defaultPlace();
    for (const name of readdirSync(parent)) {
      if (isLeftBehind(parent, name)) rmSync(path.join(parent, name), { recursive: true, force: true });
    }
    this.folder = mkdtempSync(path.join(parent, `${PREFIX}${String(process.pid)}-`));
    ownFolders.add(this.folder);
    process.once('exit', this.removeAtExit);
  }

  /** Runs `use` with the path of a file that is not there yet, and removes the file whatever happens. */
  async withFile<T>(use: (file: string) => Promise<T>): Promise<T> {
    const file = this.newPath();
    try {
      return await use(file);
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Removes the folder and all in it. Idempotent. */
  close(): void {
    process.off('exit', this.removeAtExit);
    rmSync(this.folder, { recursive: true, force: true });
    ownFolders.delete(this.folder);
  }

  private newPath(): string {
    this.count += 1;
    return path.join(this.folder, `${String(this.count)}.state`);
  }
}

function defaultPlace(): string {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= LEAST_MEMORY_BYTES ? IN_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

function isLeftBehind(parent: string, name: string): boolean {
  const pid = name.startsWith(PREFIX) ? Number(/^\d+/.exec(name.slice(PREFIX.length))?.[0]) : Number.NaN;
  if (Number.isNaN(pid)) return false;
  // In a container every process is number 1 in its turn.
  if (pid === process.pid) return !ownFolders.has(path.join(parent, name));
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
