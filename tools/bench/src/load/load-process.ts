import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { LoadFigures, LoadSpec } from './load-spec.js';

/** The load generator, in a process of its own, so that its work does not delay what it measures. */
export class LoadProcess {
  private readonly child: ChildProcess = fork(fileURLToPath(new URL('main.js', import.meta.url)), {
    serialization: 'advanced',
  });

  /**
   * Puts a load, one at a time.
   *
   * @throws Error when nothing can be asked at all
   */
  async put(spec: LoadSpec): Promise<LoadFigures> {
    const told = new Promise((resolve, reject) => {
      this.child.once('message', resolve);
      this.child.once('exit', () => reject(new Error('the load generator has ended')));
    });
    this.child.send(spec);
    const answer = (await told) as { figures: LoadFigures } | { error: string };
    this.child.removeAllListeners('exit');
    if ('error' in answer) throw new Error(answer.error);
    return answer.figures;
  }

  stop(): void {
    this.child.disconnect();
  }
}
