import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { chooseGit, type GitChoice } from '../../../src/workspace/git/engines/choose-engine.ts';
import { describeElsewhere } from '../../support/other-file-system.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

async function chosen(choice: Partial<GitChoice>, dataDirectory?: string) {
  const said: object[] = [];
  const log = { info: (facts: object) => void said.push(facts), warn: () => {} };
  const data = dataDirectory ?? temporaryDirectory();
  const cacheDirectory = join(data, 'cache');
  const standard = {
    engine: 'auto',
    maxBytes: undefined,
    cacheMaxBytes: 1,
    cacheDirectory,
    workDirectory: join(data, 'work'),
  } as const;
  const git = await chooseGit({ ...standard, ...choice }, log);
  const { workDirectory } = git.settings;
  const had = workDirectory !== undefined && existsSync(workDirectory);
  await git.close();
  return { settings: git.settings, said, cacheDirectory, had };
}

it('git is taken where it is installed, with a cache, and the log says so', async () => {
  const { settings, said, cacheDirectory } = await chosen({});
  const cache = { directory: cacheDirectory, maxBytes: 1 };
  expect(settings).toEqual({ engine: 'native', maxBytes: 2 ** 30, cache });
  expect(said).toEqual([
    {
      engine: 'native',
      version: expect.stringMatching(/^2\./),
      cache: cacheDirectory,
      workTrees: tmpdir(),
    },
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

describeElsewhere('a data directory on another file system than temporary files', (elsewhere) => {
  it('has the work trees too, as long as the service runs', async () => {
    const data = elsewhere();
    const { settings, said, had } = await chosen({}, data);
    expect(dirname(settings.workDirectory ?? '')).toBe(join(data, 'work'));
    expect(said).toMatchObject([{ workTrees: settings.workDirectory }]);
    expect(had).toBe(true);
    expect(readdirSync(join(data, 'work'))).toEqual([]);
  });

  it('has none of them if the operator says where they are, and the log says what that costs', async () => {
    const { settings, said } = await chosen({ temporaryDirectory: tmpdir() }, elsewhere());
    expect(settings.workDirectory).toBeUndefined();
    expect(said).toMatchObject([
      { workTrees: tmpdir(), noSpareTrees: 'TMPDIR is on another file system than DATA_DIR' },
    ]);
  });

  (process.getuid?.() === 0 ? it : it.skip)(
    'has none of them if the users of commands cannot enter it',
    async () => {
      const data = elsewhere();
      chmodSync(data, 0o700);
      const { settings, said } = await chosen({}, data);
      expect(settings.workDirectory).toBeUndefined();
      expect(said).toMatchObject([{ noSpareTrees: expect.stringContaining(`enter ${data}`) }]);
    },
  );
});
