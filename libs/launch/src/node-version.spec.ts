import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { complaintAboutNode } from './node-version.js';

// Owns: on which Node.js an app refuses to start.

describe('complaintAboutNode', () => {
  it.each(['18.20.4', '20.20.2', '24.8.0', '4.10.0'])('%s is too old, and is told what to use', (version) => {
    expect(complaintAboutNode(version)).toBe(
      `Node.js 24.9 or later is needed, this is ${version}; \`npx node\` in the workspace is the one that it brings`,
    );
  });

  it.each(['24.9.0', '24.21.0', '25.0.0', '26.1.0-nightly'])('%s runs an app', (version) => {
    expect(complaintAboutNode(version)).toBeNull();
  });

  it('is what engines of the workspace says', () => {
    const file = new URL('../../../package.json', import.meta.url);
    const { engines } = JSON.parse(readFileSync(file, 'utf8')) as { engines: { node: string } };
    expect(complaintAboutNode('0.0.0')).toContain(`Node.js ${engines.node.replace('>=', '')} or later`);
  });
});
