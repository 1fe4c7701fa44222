// Commits that a local GitHub makes and signs, beside those that are pushed to it.
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Repository } from '../../../../packages/local-github/src/github/state.ts';
import { TellPerson, TryLater } from '../../../../src/lib/errors.ts';
import type { PublishOptions } from '../../../../src/workspace/git/publish/publish.ts';
import type { Workspace } from '../../../../src/workspace/workspace.ts';
import { AT, BRANCH, byCommand } from '../../support.ts';
import { bare, isVerified, VerifiedScene } from './verified-scene.ts';

const FILES = {
  'README.md': '# Words\n',
  'bin/run.sh': '#!/bin/sh\n',
  'src/deep/a.ts': 'a\n',
  'src/deep/b.ts': 'b\n',
  'ümlaut name.txt': 'x\n',
  'odd/tab\tline\n\u007f\u2028\u202e"\\.txt': 'x\n',
  'odd/ blank ': 'x\n',
};

let scene: VerifiedScene;
let repository: Repository;
beforeAll(async () => (scene = await VerifiedScene.open()));
afterAll(() => scene.close());
beforeEach(async () => (repository = await scene.repository(FILES)));

type Change = (tree: string) => void;

async function inWorkspace<T>(
  publishing: Partial<PublishOptions>,
  act: (workspace: Workspace) => Promise<T>,
  branch = BRANCH,
): Promise<T> {
  const workspace = await scene.workspace(repository, branch, publishing);
  try {
    return await act(workspace);
  } finally {
    await workspace.close();
  }
}

const commit = (
  { git }: Workspace,
  message = 'Change words\n\nCo-authored-by: Ann <1+ann@users>',
) => git.commit({ message, at: AT });

/** Commits a change as `publishing` says; answers the commit. */
async function committed(
  change: Change,
  publishing: Partial<PublishOptions> = {},
  branch = BRANCH,
) {
  const done = await inWorkspace(
    publishing,
    async (workspace) => {
      await byCommand(workspace, change);
      return commit(workspace);
    },
    branch,
  );
  expect(done?.sha).toBe(bare(repository, 'rev-parse', branch));
  return done?.sha ?? '';
}

/** Commits that a branch had before count as known. */
function requireSignatures(): void {
  bare(repository, 'update-ref', '-d', `refs/heads/${BRANCH}`);
  scene.github.as('maintainer').addRuleset(repository, {
    name: 'Signed',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
    rules: [{ type: 'required_signatures' }],
  });
}

const addNotes: Change = (tree) => writeFileSync(join(tree, 'NOTES.md'), 'Notes\n');

const CHANGES: [string, Change][] = [
  [
    'new, changed and deleted files',
    (tree) => {
      mkdirSync(join(tree, 'new/deep'), { recursive: true });
      writeFileSync(join(tree, 'new/deep/名前 😀\n.txt'), 'ü\r\n');
      writeFileSync(join(tree, 'README.md'), '');
      rmSync(join(tree, 'src'), { recursive: true });
    },
  ],
  [
    'files whose names have control characters, which the repository has already',
    (tree) => {
      writeFileSync(join(tree, 'odd/tab\tline\n\u007f\u2028\u202e"\\.txt'), 'changed\n');
      rmSync(join(tree, 'odd/ blank '));
    },
  ],
  ['the executable bit only', (tree) => chmodSync(join(tree, 'bin/run.sh'), 0o755)],
  [
    'a link in the place of a file',
    (tree) => {
      rmSync(join(tree, 'README.md'));
      symlinkSync('src/deep/a.ts', join(tree, 'README.md'));
    },
  ],
  [
    'bytes, a large text, a byte order mark and a file that is empty',
    (tree) => {
      writeFileSync(join(tree, 'bytes'), Buffer.from([0, 255, 254, 10]));
      writeFileSync(join(tree, 'large.txt'), 'x'.repeat(300_000));
      writeFileSync(join(tree, 'bom.txt'), '\uFEFFx\0');
      writeFileSync(join(tree, 'empty'), '');
    },
  ],
  [
    'a directory in the place of a file, and a file in that of a directory',
    (tree) => {
      rmSync(join(tree, 'README.md'));
      mkdirSync(join(tree, 'README.md'));
      writeFileSync(join(tree, 'README.md/inner'), 'x');
      rmSync(join(tree, 'src'), { recursive: true });
      writeFileSync(join(tree, 'src'), 'now a file');
    },
  ],
  [
    'a hundred files',
    (tree) => {
      for (let n = 0; n < 100; n += 1) writeFileSync(join(tree, `file-${n}`), `${n}\n`);
    },
  ],
];

describe('a commit that GitHub makes', () => {
  it.each(CHANGES)('of %s is signed, and has the tree that a push makes', async (_what, change) => {
    const verified = await committed(change);
    const pushed = await committed(change, { strategy: 'push' }, 'pushed');
    expect(isVerified(repository, verified)).toBe(true);
    expect(isVerified(repository, pushed)).toBe(false);
    for (const format of ['%T', '%P', '%B'])
      expect(bare(repository, 'log', '-1', `--format=${format}`, verified)).toBe(
        bare(repository, 'log', '-1', `--format=${format}`, pushed),
      );
    expect(bare(repository, 'fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('names those who asked for it, as one that is pushed does', async () => {
    for (const strategy of ['verified', 'push'] as const) {
      const sha = await committed(addNotes, { strategy }, strategy);
      const trailers = '--format=%(trailers:key=Co-authored-by,valueonly)';
      expect(bare(repository, 'log', '-1', trailers, sha)).toBe('Ann <1+ann@users>');
    }
  });

  it('is what the next one follows, without a fetch', async () => {
    await inWorkspace({}, async (workspace) => {
      await byCommand(workspace, addNotes);
      const first = await commit(workspace);
      const fetches = () => scene.github.requests.filter(({ path }) => /upload-pack/.test(path));
      const before = fetches().length;
      expect(await workspace.git.changes()).toEqual([]);
      await byCommand(workspace, (tree) => writeFileSync(join(tree, 'more'), 'x'));
      const second = await commit(workspace);
      expect(bare(repository, 'log', '-1', '--format=%P', BRANCH)).toBe(first?.sha);
      expect(isVerified(repository, second?.sha ?? '')).toBe(true);
      expect(fetches()).toHaveLength(before);
    });
  });

  it('is fetched if what the API says of it is not all of it', async () => {
    const api = scene.client(repository).verifiedCommits('write');
    const make: typeof api.make = async (wanted) => {
      const made = await api.make(wanted);
      return 'sha' in made ? { ...made, signed: { payload: 'x\n\ny', signature: 'z' } } : made;
    };
    await inWorkspace({ api: { ...api, make } }, async (workspace) => {
      await byCommand(workspace, addNotes);
      await commit(workspace);
      expect(await workspace.git.changes()).toEqual([]);
      await byCommand(workspace, (tree) => writeFileSync(join(tree, 'more'), 'x'));
      expect(await commit(workspace)).toMatchObject({ files: [{ path: 'more' }] });
    });
  });
});

it('a commit that GitHub made and does not serve yet is looked for later', async () => {
  const api = scene.client(repository).verifiedCommits('write');
  const make: typeof api.make = async (wanted) => {
    const made = await api.make(wanted);
    return 'sha' in made ? { ...made, signed: { payload: 'x\n\ny', signature: 'z' } } : made;
  };
  const { directory } = repository.git;
  let hidden = '';
  const move: typeof api.move = async (branch, sha) => {
    const failure = await api.move(branch, sha);
    hidden = join(directory, 'objects', sha.slice(0, 2), sha.slice(2));
    renameSync(hidden, join(directory, 'hidden'));
    return failure;
  };
  await inWorkspace({ api: { ...api, make, move } }, async (workspace) => {
    await byCommand(workspace, addNotes);
    await expect(commit(workspace)).rejects.toThrow(TryLater);
  });
  renameSync(join(directory, 'hidden'), hidden);
  expect(await committed(addNotes)).toBe(bare(repository, 'rev-parse', BRANCH));
});

describe('a commit that was made before', () => {
  it.each(['auto', 'push'] as const)(
    'and is at the head of the branch is taken, with the strategy %s',
    async (strategy) => {
      const first = await committed(addNotes);
      const again = await committed(addNotes, { strategy });
      expect(again).toBe(first);
      expect(bare(repository, 'rev-list', '--count', `main..${BRANCH}`)).toBe('1');
    },
  );

  it('with another message is of someone else: nothing is overwritten', async () => {
    const first = await committed(addNotes);
    const other = inWorkspace({}, async (workspace) => {
      await byCommand(workspace, addNotes);
      return commit(workspace, 'Another');
    });
    await expect(other).rejects.toThrow(/Someone else pushed to/);
    expect(bare(repository, 'rev-parse', BRANCH)).toBe(first);
  });

  it('is not lost if someone pushes between the commit and the branch', async () => {
    const api = scene.client(repository).verifiedCommits('write');
    const moved = inWorkspace(
      {
        api: {
          ...api,
          make: async (wanted) => {
            bare(repository, 'update-ref', `refs/heads/${BRANCH}`, orphan());
            return api.make(wanted);
          },
        },
      },
      async (workspace) => {
        await byCommand(workspace, addNotes);
        return commit(workspace);
      },
    );
    await expect(moved).rejects.toThrow(/Someone else pushed to/);
    expect(bare(repository, 'log', '--format=%s', BRANCH)).toBe('Theirs');
  });

  const orphan = (): string => bare(repository, 'commit-tree', 'main^{tree}', '-m', 'Theirs');
});

describe('a commit is pushed', () => {
  const many: Change = (tree) => {
    for (let n = 0; n < 501; n += 1) writeFileSync(join(tree, `file-${n}`), `${n}\n`);
  };
  const all: Change = (tree) => {
    for (const name of readdirSync(tree)) rmSync(join(tree, name), { recursive: true });
  };
  const large: Change = (tree) =>
    writeFileSync(join(tree, 'large'), Buffer.alloc(5 * 1024 * 1024, 1));
  const binaries: Change = (tree) => {
    for (let n = 0; n < 25; n += 1) writeFileSync(join(tree, `${n}.bin`), Buffer.from([0, n]));
  };
  const noRoom = { mayWrite: () => Promise.resolve(false) };

  it.each<[string, Change, Partial<PublishOptions>, RegExp]>([
    ['with more files than fit', many, {}, /It changes 501 files; through the API, at most 500/],
    ['that leaves no file', all, {}, /It deletes all files/],
    ['with contents that are too large', large, {}, /Its new contents are 5242880 bytes/],
    ['that needs many requests', binaries, {}, /It needs 28 requests to the API; at most 20/],
    ['if it is the setting', addNotes, { strategy: 'push' }, /`commits\.publish` is `push`/],
  ])(
    '%s, and denied by a rule that requires signatures: it says why',
    async (_what, change, how, words) => {
      expect(isVerified(repository, await committed(change, how))).toBe(false);
      requireSignatures();
      const denied = committed(change, how, 'other');
      await expect(denied).rejects.toThrow(words);
      await expect(denied).rejects.toThrow(/A repository rule requires verified signatures\. /);
      await expect(denied).rejects.toBeInstanceOf(TellPerson);
    },
  );

  it('while the installation has written much, and made by GitHub all the same if a rule requires that', async () => {
    expect(isVerified(repository, await committed(addNotes, noRoom))).toBe(false);
    requireSignatures();
    expect(isVerified(repository, await committed(addNotes, noRoom, 'other'))).toBe(true);
  });

  it('not at all with the setting `verified`: it says why', async () => {
    const denied = committed(all, { strategy: 'verified' });
    await expect(denied).rejects.toThrow(/`commits\.publish` is `verified`.*It deletes all files/);
    expect(bare(repository, 'branch', '--list', BRANCH)).toBe('');
  });

  it('not while the API fails for now', async () => {
    scene.github.faults.failNext({ path: /git\/trees$/, status: 502, times: 9 });
    await expect(committed(addNotes)).rejects.toBeInstanceOf(TryLater);
    expect(bare(repository, 'branch', '--list', BRANCH)).toBe('');
  });
});
