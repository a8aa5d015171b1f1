// Owns what the built program does with the process that it runs in.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { beforeAll, describe, expect, it } from '@jest/globals';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const clusterFile = fileURLToPath(new URL('../../cluster/local.yaml', import.meta.url));

beforeAll(() => {
  if (!existsSync(main)) throw new Error('tools/cli is not built: run `npm test` or `npm run build` first');
});

describe('roost', () => {
  it('ends without a stack when nobody reads what it prints any more', async () => {
    const child = spawn(process.execPath, [main, 'config', 'check', clusterFile], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    expect(await once(child, 'close')).toEqual([141, null]);
    expect(stderr).toBe('');
  });

  it('says which Node.js it needs to one that is too old', () => {
    const old = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', old, main, '--help'], {
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/^roost: Node\.js \S+ or later is needed, this is 20\.20\.2; .+\n$/);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });
});
