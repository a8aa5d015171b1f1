import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { metricsMarkdown } from './metrics/markdown.js';

/** Writes docs/metrics.md from the definitions. */
writeFileSync(path.resolve(import.meta.dirname, '../../../docs/metrics.md'), metricsMarkdown());
