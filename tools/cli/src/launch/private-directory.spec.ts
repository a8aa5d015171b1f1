import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { PrivateDirectory } from './private-directory.js';

describe('PrivateDirectory', () => {
  it('lets nobody else read what is in it, and goes away with it', () => {
    const listeners = process.listenerCount('exit');
    const directory = new PrivateDirectory();
    const file = directory.write('worker.yaml', 'a: 1');
    expect(readFileSync(file, 'utf8')).toBe('a: 1');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    expect(process.listenerCount('exit')).toBe(listeners + 1);
    directory.remove();
    expect(existsSync(path.dirname(file))).toBe(false);
    expect(process.listenerCount('exit')).toBe(listeners);
    expect(() => directory.remove()).not.toThrow();
  });
});
