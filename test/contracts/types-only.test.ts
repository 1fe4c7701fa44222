import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from '@jest/globals';

const FOLDER = 'src/contracts';

/** What is left of a module once its types and comments are gone. */
const codeOf = (source: string): string =>
  stripTypeScriptTypes(source)
    .replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '')
    .trim();

describe('contracts/', () => {
  it.each(readdirSync(FOLDER))('%s holds types and nothing that runs', (name) => {
    expect(codeOf(readFileSync(`${FOLDER}/${name}`, 'utf8'))).toBe('');
  });

  it('would notice a constant', () => {
    expect(codeOf("import type { A } from './a.ts';\nexport const b: A = 1; // why")).not.toBe('');
  });
});
