import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { SYSTEM_PATH } from '../../../src/lib/directories.ts';
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

describe('a machine', () => {
  const PROGRAM = fileURLToPath(new URL('false-git-process.ts', import.meta.url));

  /** What is chosen where `git version` says this; `undefined`: there is no git. */
  async function chosenWith(engine: 'auto' | 'native', version?: string, hasFlock = true) {
    const programs = temporaryDirectory();
    const says = `#!/bin/sh\necho 'git version ${version}'\n`;
    if (version !== undefined) writeFileSync(join(programs, 'git'), says, { mode: 0o755 });
    const flock = SYSTEM_PATH.map((path) => join(path, 'flock')).find((path) => existsSync(path));
    if (hasFlock && flock !== undefined) symlinkSync(flock, join(programs, 'flock'));
    const words = [PROGRAM, programs, engine, temporaryDirectory()];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    return JSON.parse(stdout) as object;
  }

  it.each([
    ['no git', undefined, 'its machine has no git'],
    ['git 2.37', '2.37.9', 'its machine has git 2.37.9'],
    ['git 1.99', '1.99.0', 'its machine has git 1.99.0'],
  ])(
    'with %s gets isomorphic-git, unless the operator wants git',
    async (_what, version, reason) => {
      const [auto, native] = await Promise.all([
        chosenWith('auto', version),
        chosenWith('native', version),
      ]);
      expect(auto).toEqual({
        settings: { engine: 'isomorphic', maxBytes: 2 ** 28 },
        said: [{ engine: 'isomorphic', reason }],
      });
      expect(native).toEqual({
        failed: `GIT_ENGINE=native needs git 2.38 or newer, and ${reason}. Install it, or remove the setting.`,
      });
    },
  );

  it.each(['2.38.0', '2.39.5 (Apple Git-154)', '2.100.1', '3.0.0'])(
    'with git %s gets that',
    async (version) => {
      const found = await chosenWith('auto', version);
      expect(found).toMatchObject({
        settings: { engine: 'native', maxBytes: 2 ** 30, cache: { maxBytes: 1 } },
        said: [{ engine: 'native', version: version.split(' ', 1)[0] }],
      });
    },
  );

  it('without flock gets git without a cache', async () => {
    expect(await chosenWith('native', '2.38.0', false)).toEqual({
      settings: { engine: 'native', maxBytes: 2 ** 30 },
      said: [{ engine: 'native', version: '2.38.0', noCache: 'its machine has no program flock' }],
    });
  });
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
