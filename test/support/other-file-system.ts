// A directory on another file system than that of temporary files, as the volume of a container is.
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from '@jest/globals';

/** Of memory, on any Linux. */
const OTHER = '/dev/shm';

const isOther = (): boolean =>
  statSync(OTHER, { throwIfNoEntry: false })?.dev !== undefined &&
  statSync(OTHER).dev !== statSync(tmpdir()).dev;

/** Skips the tests where there is no other file system. */
export function describeElsewhere(name: string, tests: (elsewhere: () => string) => void): void {
  (isOther() ? describe : describe.skip)(name, () => {
    const made: string[] = [];
    afterAll(() => {
      for (const path of made) rmSync(path, { recursive: true, force: true });
    });
    tests(() => {
      const path = mkdtempSync(join(OTHER, 'issuewright-test-'));
      chmodSync(path, 0o711);
      made.push(path);
      return path;
    });
  });
}
