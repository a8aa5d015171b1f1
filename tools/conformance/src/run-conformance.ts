import { existsSync } from 'node:fs';

import { readDocument } from './document/read-document.js';
import { FORMATS, formatOf } from './formats/formats.js';
import { showValue } from './show-value.js';
import type { VectorCase } from './vector-format.js';

/** How many cases came out as their vectors say, and how many did not. */
export interface ConformanceResult {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Replays vector files against the code that serves requests. The format of a file is told by its base name. A file that
 * cannot be read, is of no known format, or has no cases counts as one failure; so does a case that is not made as its format
 * says. Never throws for what is in the files.
 *
 * @param write given one line for each mismatch and each error, with file, case and step
 */
export async function runConformance(
  files: readonly string[],
  write: (line: string) => void,
): Promise<ConformanceResult> {
  let passed = 0;
  let failed = 0;
  for (const file of files) {
    const report = (line: string): void => write(`${file}: ${line}`);
    const cases = await readCases(file, report);
    if (cases === null) {
      failed += 1;
      continue;
    }
    const numPassed = cases.filter((vector) => replay(vector, report)).length;
    passed += numPassed;
    failed += cases.length - numPassed;
  }
  return { passed, failed };
}

/** The cases of a file; null, with a line written, when there are none to be had. */
async function readCases(file: string, report: (line: string) => void): Promise<readonly VectorCase[] | null> {
  if (!existsSync(file)) {
    report('there is no such file');
    return null;
  }
  const format = formatOf(file);
  if (format === undefined) {
    const names = FORMATS.map(({ prefix }) => `${prefix}*.json`).join(', ');
    report(`unknown format; the name of a vector file is one of ${names}`);
    return null;
  }
  try {
    const cases = format.cases(format.parse(await readDocument(file)));
    if (cases.length > 0) return cases;
    report('there are no cases in it');
  } catch (error) {
    report(messageOf(error));
  }
  return null;
}

/** Whether a case passes; writes a line for each thing that does not. */
function replay({ label, replay: play }: VectorCase, report: (line: string) => void): boolean {
  try {
    const mismatches = play();
    for (const { at, expected, got } of mismatches) {
      report(`${label}, ${at}: expected ${showValue(expected)}, got ${showValue(got)}`);
    }
    return mismatches.length === 0;
  } catch (error) {
    report(`${label}: ${messageOf(error)}`);
    return false;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
