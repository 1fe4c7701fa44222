import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../temporary-directory.ts';

let directory = '';
// What a hook ends may write there until then.
afterAll(() => writeFileSync(join(directory, 'last'), ''));

it('a temporary directory stays until all hooks of the test file have run', () => {
  directory = temporaryDirectory();
  expect(existsSync(directory)).toBe(true);
});
