import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { chooseGit, type GitChoice } from '../../../src/workspace/git/engines/choose-engine.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

async function chosen(choice: Partial<GitChoice>) {
  const said: object[] = [];
  const log = { info: (facts: object) => void said.push(facts), warn: () => {} };
  const cacheDirectory = join(temporaryDirectory(), 'cache');
  const standard = {
    engine: 'auto',
    maxBytes: undefined,
    cacheMaxBytes: 1,
    cacheDirectory,
  } as const;
  const git = await chooseGit({ ...standard, ...choice }, log);
  await git.close();
  return { settings: git.settings, said, cacheDirectory };
}

it('git is taken where it is installed, with a cache, and the log says so', async () => {
  const { settings, said, cacheDirectory } = await chosen({});
  const cache = { directory: cacheDirectory, maxBytes: 1 };
  expect(settings).toEqual({ engine: 'native', maxBytes: 2 ** 30, cache });
  expect(said).toEqual([
    { engine: 'native', version: expect.stringMatching(/^2\./), cache: cacheDirectory },
  ]);
  expect(existsSync(cacheDirectory)).toBe(true);
});

it('without room for a cache there is none, and the log says why', async () => {
  const { settings, said, cacheDirectory } = await chosen({ cacheMaxBytes: 0, maxBytes: 7 });
  expect(settings).toEqual({ engine: 'native', maxBytes: 7 });
  expect(said).toMatchObject([{ noCache: 'CACHE_MAX_BYTES is 0' }]);
  expect(existsSync(cacheDirectory)).toBe(false);
});

it('isomorphic-git is taken if the operator asks for it, with a lower limit', async () => {
  const { settings, said } = await chosen({ engine: 'isomorphic' });
  expect(settings).toEqual({ engine: 'isomorphic', maxBytes: 2 ** 28 });
  expect(said).toEqual([{ engine: 'isomorphic', reason: 'GIT_ENGINE asks for it' }]);
});
