// Jest prints its summary last; the one line that CI reads has to come after it. Before it stands what was compared
// with GitHub's descriptions.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TALLY_FILE, tallyLine } from '../github-schemas/tally.ts';

export default class ClosingLine {
  onRunStart() {
    process.env[TALLY_FILE] = join(mkdtempSync(join(tmpdir(), 'iw-tally-')), 'tally');
  }

  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;
    const file = process.env[TALLY_FILE];
    const compared = tallyLine(file);
    rmSync(dirname(file), { recursive: true });
    if (compared !== undefined) process.stdout.write(`${compared}\n`);
    process.once('exit', () => process.stdout.write(`${line}\n`));
    // Something still open in the runner itself would hang it: end, and fail.
    setTimeout(() => process.exit(1), 5000).unref();
  }
}
