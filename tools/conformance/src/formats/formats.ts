import path from 'node:path';

import type { VectorFormat } from '../vector-format.js';

import { adpRouter } from './adp-router.js';
import { conversationRouter } from './conversation-router.js';
import { identity } from './identity.js';
import { signatures } from './signatures.js';

/** Every format of vector files; a new one is added here. */
export const FORMATS: readonly VectorFormat[] = [signatures, adpRouter, conversationRouter, identity];

/** The format of a file, told by its base name; undefined when it is none of ours. */
export function formatOf(file: string): VectorFormat | undefined {
  const name = path.basename(file);
  return name.endsWith('.json') ? FORMATS.find(({ prefix }) => name.startsWith(prefix)) : undefined;
}
