import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import type { Mapping } from '../mapping.js';

import { generatedFiles } from './generated-files.js';
import { documentedClasses, ownSettings } from './groups.js';

// That the committed reference says what the classes say, and says something of every setting.

const root = path.resolve(import.meta.dirname, '../../../..');

describe('the generated reference', () => {
  it.each([...generatedFiles()])('%s is current: run node libs/config/dist/generate-docs.js', (name, content) => {
    expect(readFileSync(path.join(root, name), 'utf8') === content).toBe(true);
  });

  it('documents every setting', () => {
    const markdown = generatedFiles().get('docs/configuration.md') ?? '';
    for (const owner of documentedClasses())
      for (const { name, meaning } of ownSettings(owner)) {
        expect(meaning).toMatch(/\S\.$/);
        expect(markdown).toContain(`| \`${name}\` |`);
      }
  });

  it('has a schema whose references all lead somewhere', () => {
    const schema = JSON.parse(generatedFiles().get('docs/configuration.schema.json') ?? '') as { $defs: Mapping };
    const references = JSON.stringify(schema).match(/"#\/\$defs\/\w+"/g) ?? [];
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references) expect(schema.$defs).toHaveProperty(reference.slice('"#/$defs/'.length, -1));
  });
});
