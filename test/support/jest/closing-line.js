// Jest prints its summary last; the one line that CI reads has to come after it. Before it stands what was compared
// with GitHub's descriptions. Two tests with one name are a fault: whoever searches for the name of one that failed finds one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TALLY_FILE, tallyLine } from '../github-schemas/tally.ts';

export default class ClosingLine {
  #sameNames = [];

  onRunStart() {
    process.env[TALLY_FILE] = join(mkdtempSync(join(tmpdir(), 'iw-tally-')), 'tally');
  }

  onRunComplete(_contexts, results) {
    this.#sameNames = namesInCommon(results);
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests;
    for (const name of this.#sameNames) process.stdout.write(`two tests share a name: ${name}\n`);
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;
    const file = process.env[TALLY_FILE];
    const compared = tallyLine(file);
    rmSync(dirname(file), { recursive: true });
    if (compared !== undefined) process.stdout.write(`${compared}\n`);
    process.once('exit', () => process.stdout.write(`${line}\n`));
    // Something still open in the runner itself would hang it: end, and fail.
    setTimeout(() => process.exit(1), 5000).unref();
  }

  /** Jest fails if a reporter has an error, and does not print it. */
  getLastError() {
    return this.#sameNames.length > 0 ? new Error('two tests share a name') : undefined;
  }
}

function namesInCommon({ testResults }) {
  const files = new Map();
  for (const { testFilePath, testResults: tests } of testResults)
    for (const { fullName } of tests)
      files.set(fullName, [...(files.get(fullName) ?? []), testFilePath]);
  return [...files]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name} (${[...new Set(paths)].join(', ')})`);
}
