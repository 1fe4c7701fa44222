// A name finds one file: two files of one name in one part of `src` would be mistaken for each other.
import { globSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Names that more than one file in the same top-level folder of `src` has; every folder may have an index. */
function sharedNames(files: readonly string[]): readonly string[] {
  const named = files
    .map((file) => `${file.split(path.sep)[0]}/…/${path.basename(file)}`)
    .filter((name) => !name.endsWith('/index.ts'));
  return [...new Set(named.filter((name, at) => named.indexOf(name) !== at))];
}

describe('a file of src', () => {
  const files = globSync('**/*.{ts,js}', { cwd: 'src' }).filter((file) => file.includes(path.sep));

  it('shares its name with no other file in its top-level folder, unless it is index.ts', () => {
    expect(files.length).toBeGreaterThan(300);
    expect(sharedNames(files)).toEqual([]);
  });

  it('would be found if it did', () => {
    const two = ['app/run/run.ts', 'app/publish/run.ts', 'web/run.ts', 'app/index.ts'];
    expect(sharedNames(two)).toEqual(['app/…/run.ts']);
  });
});
