import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];
// The test environment removes them: a hook of this module would run before those that end what still writes there.
Reflect.set(globalThis, Symbol.for('issuewright.temporary-directories'), made);

/** A directory that is removed after the tests of the file and all their hooks. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'issuewright-test-'));
  made.push(directory);
  return directory;
}
