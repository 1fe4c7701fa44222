// A workspace of a repository whose settings name the directories that it is to have.
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BranchMoved } from '../../../../src/workspace/git/publish/push.ts';
import { TellModel, TellPerson } from '../../../../src/lib/errors.ts';
import type { Workspace, WorkspaceOptions } from '../../../../src/workspace/workspace.ts';
import { faultsIn } from '../../../support/fsck.ts';
import { startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { RawObjects } from '../../../support/raw-objects.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { AT, BRANCH, open, text } from '../../support.ts';
import { refusalOf } from '../engines.ts';

const FILES = {
  'README.md': '# Large\n',
  'services/README.md': 'Services\n',
  'services/billing/main.ts': 'export const price = 1;\n',
  'services/billing/lib/tax.ts': 'export const tax = 2;\n',
  'services/search/main.ts': 'export const found = 3;\n',
  'services/search/data/words.txt': 'words\n',
  'services/search/link': { content: '../billing', mode: 'symlink' },
  'web/index.html': '<p>price</p>\n',
} as const;

let server: GitServer;
let repository: TestRepository;
let count = 0;
let opened: Workspace[];
let before: readonly string[];
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
beforeEach(() => {
  count += 1;
  opened = [];
  before = [];
  repository = server.createRepository(`octo/sparse-${count}`, FILES);
});
afterEach(async () => {
  server.intercept = undefined;
  for (const workspace of opened) await workspace.close();
  expect(faultsIn(repository.directory)).toEqual(before);
});

const NATIVE = () => ({
  engine: 'native' as const,
  maxBytes: 2 ** 28,
  cache: { directory: join(temporaryDirectory(), 'cache'), maxBytes: 2 ** 28 },
});

const enter = async (options: Partial<WorkspaceOptions> = {}): Promise<Workspace> => {
  before = faultsIn(repository.directory);
  const sparse = ['services/billing'];
  const workspace = await open(server, repository, { git: NATIVE(), sparse, ...options });
  opened.push(workspace);
  return workspace;
};
const commit = ({ git }: Workspace) => git.commit({ message: 'Change', at: AT });
const read = async ({ files }: Workspace, path: string) =>
  Buffer.from(await files.read(path)).toString();
const changedBy = (revision: string) =>
  repository.git('diff', '--name-status', `${revision}^`, revision).split('\n');
const { signal } = new AbortController();
const byCommand = async ({ commands }: Workspace, act: (tree: string) => void) => {
  await commands.watch.begin();
  act(commands.directory);
  return commands.watch.end(async () => []);
};

describe('a sparse workspace', () => {
  it('has the named directories, and of those above them the files alone', async () => {
    const { commands, git, outside } = await enter();
    expect(readdirSync(commands.directory).toSorted()).toEqual(['README.md', 'services']);
    expect(readdirSync(join(commands.directory, 'services')).toSorted()).toEqual([
      'README.md',
      'billing',
    ]);
    expect(readFileSync(join(commands.directory, 'services/billing/lib/tax.ts'), 'utf8')).toBe(
      FILES['services/billing/lib/tax.ts'],
    );
    expect(outside.toSorted()).toEqual(['services/search', 'web']);
    expect(await git.changes()).toEqual([]);
  });

  it('downloads nothing of what it does not have', async () => {
    repository.commit({
      'web/large.bin': Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))),
    });
    const limit = { ...NATIVE(), maxBytes: 20_000 };
    await enter({ git: limit });
    const whole = await refusalOf(enter({ git: limit, sparse: undefined }));
    expect(whole).toMatch(/too large to work on.*`sparse` in `\.github\/issuewright\.yml`/s);
  });

  it('downloads no more than the limit, in however many requests', async () => {
    const objects = new RawObjects();
    const names = Array.from({ length: 15_000 }, (_, at) => `file-${at}`).toSorted();
    const files = names.map((name) => ['100644', name, objects.blob(randomBytes(40))] as const);
    const baseCommit = objects.commit(objects.tree(['40000', 'part', objects.tree(...files)]));
    writeFileSync(join(repository.directory, 'objects/pack/all.pack'), objects.pack());
    repository.git('index-pack', 'objects/pack/all.pack');
    repository.git('update-ref', 'refs/heads/main', baseCommit);
    // Git asks for 10,000 files at once: both answers are smaller, and so are the files.
    const most = 700_000;
    const git = { ...NATIVE(), maxBytes: most };
    const said = await refusalOf(enter({ git, baseCommit, sparse: ['part'] }));
    expect(said).toContain(`too large to work on: more than ${most} bytes`);
  });

  it('commits what changed in it, and nothing else', async () => {
    const workspace = await enter();
    await workspace.files.write('services/billing/main.ts', text('export const price = 4;\n'));
    await workspace.files.write('tools/new.ts', text('new\n'));
    await workspace.files.delete('services/billing/lib/tax.ts');
    await byCommand(workspace, (tree) => writeFileSync(join(tree, 'made.txt'), 'made\n'));
    expect(await workspace.git.changes()).toHaveLength(4);
    expect(await workspace.git.diff('services')).toHaveLength(2);
    await commit(workspace);
    expect(changedBy(BRANCH)).toEqual([
      'A\tmade.txt',
      'D\tservices/billing/lib/tax.ts',
      'M\tservices/billing/main.ts',
      'A\ttools/new.ts',
    ]);
    expect(await workspace.git.changes()).toEqual([]);
    await workspace.files.write('services/billing/main.ts', text('export const price = 5;\n'));
    await commit(workspace);
    expect(changedBy(BRANCH)).toEqual(['M\tservices/billing/main.ts']);
  });

  it('keeps what it does not have when all that it has is deleted', async () => {
    const workspace = await enter();
    await byCommand(workspace, (tree) => {
      for (const name of readdirSync(tree)) rmSync(join(tree, name), { recursive: true });
    });
    await commit(workspace);
    const left = repository.git('ls-tree', '-r', '--name-only', BRANCH).split('\n');
    expect(left).toEqual(
      Object.keys(FILES)
        .filter((path) => /^web|^services\/search/.test(path))
        .toSorted(),
    );
  });

  it('refuses to write what would take the place of something that it does not have', async () => {
    const { files } = await enter();
    const refused = [
      'web/index.html',
      'web/new.html',
      'web',
      'WEB/index.html',
      'services/search',
      'services',
    ];
    for (const path of refused)
      await expect(files.write(path, text('x'))).rejects.toThrow(/outside of the workspace/);
    await expect(files.delete('web/index.html')).rejects.toThrow(/outside of the workspace/);
    for (const from of ['web', 'services'])
      await expect(files.rename([{ from, to: 'moved' }])).rejects.toThrow(
        /outside of the workspace/,
      );
    const into = { from: 'services/billing', to: 'web/billing' };
    await expect(files.rename([into])).rejects.toThrow(/outside of the workspace/);
  });

  it('takes back what a command makes in the place of something that it does not have', async () => {
    const workspace = await enter();
    const done = await byCommand(workspace, (tree) => {
      mkdirSync(join(tree, 'web'));
      writeFileSync(join(tree, 'web/index.html'), 'mine\n');
      rmSync(join(tree, 'services'), { recursive: true });
      symlinkSync('README.md', join(tree, 'services'));
    });
    expect(done.reverted).toEqual(expect.arrayContaining(['services', 'web/index.html']));
    await commit(workspace);
    expect(changedBy(BRANCH).filter((line) => !line.startsWith('D\tservices/billing'))).toEqual([
      'D\tservices/README.md',
    ]);
    expect(repository.git('show', `${BRANCH}:web/index.html`)).toBe('<p>price</p>');
  });

  it('lists and reads what it does not have, and fetches each file once', async () => {
    let tokens = 0;
    const workspace = await enter({
      credentials: async () => {
        tokens += 1;
        return server.token;
      },
    });
    const before = tokens;
    const names = async (path: string) =>
      (await workspace.files.list(path)).map(({ name, isOutside }) => [name, isOutside ?? false]);
    expect(await names('')).toEqual([
      ['README.md', false],
      ['services', false],
      ['web', true],
    ]);
    expect(await names('services/search')).toEqual([
      ['data', true],
      ['link', true],
      ['main.ts', true],
    ]);
    expect(tokens).toBe(before);
    for (const _ of [1, 2])
      expect(await read(workspace, 'services/search/data/words.txt')).toBe('words\n');
    expect(tokens).toBe(before + 1);
    expect(existsSync(join(workspace.commands.directory, 'services/search'))).toBe(false);
    const { files } = workspace;
    await expect(files.read('web/none.html')).rejects.toThrow(/does not exist/);
    await expect(files.read('web')).rejects.toThrow(/is a directory/);
    await expect(files.read('services/search/link')).rejects.toThrow(/symbolic link/);
    await expect(files.read('services/search/link/main.ts')).rejects.toThrow(/symbolic link/);
    await expect(files.read('web/index.html', 3)).rejects.toThrow(/at most 3/);
  });

  it('tells the model that a file has left the server, and still reads what is here', async () => {
    const workspace = await enter();
    // Someone rewrites the branch, and the server tidies up.
    const objects = new RawObjects();
    const rewritten = objects.commit(objects.tree(['100644', 'a.txt', objects.blob('a\n')]));
    objects.store(repository.directory);
    repository.git('update-ref', 'refs/heads/main', rewritten);
    repository.git('prune', '--expire=now');
    const gone = workspace.files.read('web/index.html');
    await expect(gone).rejects.toBeInstanceOf(TellModel);
    await expect(gone).rejects.toThrow(
      /^"web\/index\.html" is outside .* the server does not have its content any more\. .* Work without it/,
    );
    expect(await read(workspace, 'services/billing/main.ts')).toBe('export const price = 1;\n');
  });

  it('ends the run, with a sentence to people, if the repository cannot be read any more', async () => {
    const workspace = await enter();
    server.intercept = (_request, response) => {
      response.writeHead(404).end();
      return true;
    };
    const denied = workspace.files.read('web/index.html');
    await expect(denied).rejects.toBeInstanceOf(TellPerson);
    await expect(denied).rejects.toThrow(/^GitHub denied access to .*Check that it exists/);
  });

  it('does not read what the settings of the repository deny', async () => {
    const { files } = await enter({ paths: { deny: ['web/secret', '*.txt'] } });
    await expect(files.read('services/search/data/words.txt')).rejects.toThrow(/deny access/);
    expect(await files.list('services/search/data')).toEqual([]);
  });

  it('says what a search left out', async () => {
    const { search } = await enter();
    const asked = { pattern: 'price', ignoreCase: false, context: 0, maxMatches: 9 };
    const all = await search.grep({ ...asked, path: '.' }, signal);
    expect(all.found.map(({ path }) => path)).toEqual(['services/billing/main.ts']);
    expect(all.outside).toEqual(['services/search', 'web']);
    expect(
      (await search.grep({ ...asked, path: 'services/billing' }, signal)).outside,
    ).toBeUndefined();
    const find = { glob: '*.html', path: 'services', order: 'path', limit: 9 } as const;
    expect(await search.find(find, signal)).toEqual({
      paths: [],
      total: 0,
      outside: ['services/search'],
    });
    await expect(search.find({ ...find, path: 'web' }, signal)).rejects.toThrow(
      /nothing is searched/,
    );
  });

  it('finds the branch moved, and begins again at its new head', async () => {
    const first = await enter();
    const second = await enter();
    await first.files.write('one.txt', text('1'));
    await commit(first);
    await second.files.write('two.txt', text('2'));
    await expect(commit(second)).rejects.toBeInstanceOf(BranchMoved);
    const again = await enter({ baseCommit: repository.head(BRANCH) });
    expect(await read(again, 'one.txt')).toBe('1');
    await again.files.write('two.txt', text('2'));
    await commit(again);
    expect(changedBy(BRANCH)).toEqual(['A\ttwo.txt']);
  });

  it('applies no change that was stored before its directory was left out to a commit', async () => {
    const stored = { path: 'web/index.html', mode: '100644', content: text('old\n') } as const;
    const workspace = await enter({ changes: [stored] });
    await workspace.files.write('one.txt', text('1'));
    const done = await commit(workspace);
    expect(done?.withheld).toEqual(['web/index.html']);
    expect(changedBy(BRANCH)).toEqual(['A\tone.txt']);
  });

  it('says so if the server cannot leave files out', async () => {
    const plain = await startGitServer({ canFilter: false });
    try {
      const other = plain.createRepository('octo/plain', FILES);
      const said = await refusalOf(
        open(plain, other, { git: NATIVE(), sparse: ['services/billing'] }),
      );
      expect(said).toMatch(/does not send a part of a repository.*`sparse`/s);
    } finally {
      await plain.close();
    }
  });

  it('has unusual names, old modes and submodules as a whole workspace has them', async () => {
    const objects = new RawObjects();
    const module = '1'.repeat(40);
    const part = objects.tree(
      ['100664', 'back\\slash.txt', objects.blob('b\n')],
      ['160000', 'module', module],
      ['100644', '\xfcmlaut', objects.blob('latin1\n')],
      ['100644', '\xc3\xbcmlaut', objects.blob('u\n')],
    );
    const other = objects.tree(['100644', 'kept.txt', objects.blob('kept\n')]);
    const root = objects.tree(['40000', 'other', other], ['40000', 'part', part]);
    const baseCommit = objects.commit(root);
    objects.store(repository.directory);
    repository.git('update-ref', 'refs/heads/main', baseCommit);
    const workspace = await enter({ baseCommit, sparse: ['part'] });
    const tree = join(workspace.commands.directory, 'part');
    expect(readdirSync(tree)).toHaveLength(4);
    expect(readdirSync(join(tree, 'module'))).toEqual([]);
    expect(await read(workspace, 'part/ümlaut')).toBe('u\n');
    expect(await workspace.git.changes()).toEqual([]);
    await workspace.files.write('part/new.txt', text('new\n'));
    await commit(workspace);
    expect(changedBy(BRANCH)).toEqual(['A\tpart/new.txt']);
  });

  it('has submodules as empty directories where git writes the files', async () => {
    const objects = new RawObjects();
    const part = objects.tree(
      ['100644', 'a.txt', objects.blob('a\n')],
      ['160000', 'module', '1'.repeat(40)],
    );
    const other = objects.tree(['100644', 'kept.txt', objects.blob('kept\n')]);
    const baseCommit = objects.commit(
      objects.tree(['40000', 'other', other], ['40000', 'part', part]),
    );
    objects.store(repository.directory);
    repository.git('update-ref', 'refs/heads/main', baseCommit);
    const workspace = await enter({ baseCommit, sparse: ['part'] });
    expect(readdirSync(join(workspace.commands.directory, 'part')).toSorted()).toEqual([
      'a.txt',
      'module',
    ]);
    expect(await workspace.git.changes()).toEqual([]);
  });
});

it('isomorphic-git clones everything, whatever is named', async () => {
  const workspace = await enter({ git: { engine: 'isomorphic', maxBytes: 2 ** 28 } });
  expect(existsSync(join(workspace.commands.directory, 'web/index.html'))).toBe(true);
  expect(workspace.outside).toEqual([]);
});
