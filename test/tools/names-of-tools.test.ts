import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { TOOLS } from '../../src/tools/index.ts';

/** Names that are no ordinary words; a repository's settings can take away each of these tools. */
const NAMES = TOOLS.flatMap(({ name, aliases }) => [name, ...aliases]).filter((name) =>
  name.includes('_'),
);
const NAME = new RegExp(`\\b(?:${NAMES.join('|')})\\b`);

/** Where a tool says its own name, and what is asked of the tools of the run first. */
const OWN = /^\s*(?:name: |aliases: |'?\w+'?,?$|\[\['|\/\/|\*|\/\*)/;

it('no result and no error names a tool that a run may lack', () => {
  const found = globSync(['src/tools/**/*.ts', 'src/workspace/**/*.ts', 'src/app/run/ports/*.ts'])
    .filter((path) => !path.endsWith('tools/index.ts'))
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => /['"`]/.test(line) && NAME.test(line) && !OWN.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});
