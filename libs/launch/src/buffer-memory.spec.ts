// Owns: that this Node knows the flag; one that does not says so on standard error and goes on.
import { spawnSync } from 'node:child_process';
import process from 'node:process';

import { describe, expect, it } from '@jest/globals';

import { WEIGH_BUFFERS_WITH_HEAP } from './buffer-memory.js';

function setting(flag: string): string {
  const program = `require('node:v8').setFlagsFromString(${JSON.stringify(flag)})`;
  return spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' }).stderr;
}

describe('the flag that weighs buffers with the heap', () => {
  it('is known to this Node', () => {
    expect(setting(WEIGH_BUFFERS_WITH_HEAP)).toBe('');
    expect(setting('--no-such-flag')).toContain('unrecognized');
  });
});
