import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A directory of this process that no other user can read, removed when this process exits. */
export class PrivateDirectory {
  // mkdtemp makes directories of mode 0700.
  private readonly place = mkdtempSync(path.join(tmpdir(), 'roost-'));
  private readonly removeAtExit = (): void => this.remove();

  constructor() {
    process.once('exit', this.removeAtExit);
  }

  /** Writes a file into the directory and gives its absolute path. */
  write(name: string, text: string): string {
    const file = path.join(this.place, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  /** Removes the directory and all in it. Does nothing the second time. */
  remove(): void {
    process.off('exit', this.removeAtExit);
    rmSync(this.place, { recursive: true, force: true });
  }
}
