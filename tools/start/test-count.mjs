/** A count of tests, to be added up over several runs. */
export const noTests = { passed: 0, failed: 0, skipped: 0 };

/** The sum of two counts. */
export const addCounts = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});

/**
 * The counts of one run, from what `jest --json` wrote. A test file that could not be run counts as one failure, and so
 * does a run that ended without writing anything.
 */
export function countTests(report) {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** The one line that a test run ends with. */
export function countLine({ passed, failed, skipped }) {
  const end = skipped > 0 ? `, ${skipped} skipped` : '';
  return `${passed} passed, ${failed} failed${end}`;
}
