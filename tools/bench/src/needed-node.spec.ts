// Owns what the built benchmarks say to a Node.js that is too old for them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };
const mains = Object.entries(scripts).flatMap(([name, command]) =>
  /^bench\b/.test(name) ? [command.replace(/^node /, '')] : [],
);

/** Has a Node.js take itself for an old one before it loads anything else. */
const OLD = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})`;

describe('on an old Node.js', () => {
  it.each(mains)('%s says which one it needs, before it loads or does anything else', (main) => {
    if (!existsSync(root + main)) throw new Error('tools/bench is not built: run `npm test` or `npm run build` first');
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', OLD, root + main], {
      encoding: 'utf8',
      timeout: 15_000,
    });
    expect(stderr).toMatch(/^bench: Node\.js \S+ or later is needed, this is 20\.20\.2; .+\n$/);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });
});
