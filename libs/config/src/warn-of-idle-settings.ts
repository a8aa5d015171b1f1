import type { Findings, KeyPath } from './findings.js';

/** Names in one warning the settings that are accepted without being acted upon. */
export function warnOfIdleSettings(paths: readonly KeyPath[], findings: Findings): void {
  const written = paths.map((path) => findings.writtenPath(path).join('.'));
  if (written.length > 0)
    findings.warn(`accepted, not acted upon in this version: ${[...new Set(written)].join(', ')}`);
}
