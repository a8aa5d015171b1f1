import { configurationSchema } from './json-schema.js';
import { referenceMarkdown } from './markdown.js';

/** The files made of the configuration classes: path from the workspace's root -> content. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/configuration.md', referenceMarkdown()],
    ['docs/configuration.schema.json', `${JSON.stringify(configurationSchema(), null, 2)}\n`],
  ]);
}
