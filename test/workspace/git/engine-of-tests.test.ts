import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** Where both engines are compared, and the stories of a machine without a git that can be used, and of a proxy between it and GitHub. */
const MAY_CHOOSE =
  /^(?:bench\/git\/|test\/workspace\/git\/|packages\/sandbox\/test\/git\.|test\/e2e\/old-git\.|test\/e2e\/behind-a-proxy\.)/;

it('tests, benches and the playground run the git engine that ships, but for the suites about engines', () => {
  const files = globSync('{bench,packages,test}/**/*.{ts,js}').filter(
    (file) => !MAY_CHOOSE.test(file),
  );
  expect(files.length).toBeGreaterThan(500);
  const choosing = files.filter((file) =>
    /isomorphic|git\/engines\.ts/.test(readFileSync(file, 'utf8')),
  );
  expect(choosing).toEqual([]);
});
