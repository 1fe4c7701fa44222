// The Git database and the contents of files through the API, checked by native git.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Repository } from '../src/github/state.ts';
import type { Playground } from './support.ts';
import { asInstallation, git, mintToken, startPlayground, withToken } from './support.ts';
import { sendWrongRequests } from '../../../test/support/github-schemas/wrong-requests.ts';

sendWrongRequests();

const at = { owner: 'example', repo: 'words' };
let playground: Playground;
let repository: Repository;
let main: string;
beforeAll(async () => {
  playground = await startPlayground();
  repository = playground.github.repository('example', 'words');
  main = (await repository.git.head('main')) ?? '';
});
afterAll(() => playground.close());

const api = () => asInstallation(playground.github).rest;
const bare = (...args: string[]) => git(repository.git.directory, ...args);
const treeOf = (commit: string) => bare('rev-parse', `${commit}^{tree}`);
const denied = (status: number, message: string | RegExp) => ({
  status,
  response: {
    data: { message: typeof message === 'string' ? message : expect.stringMatching(message) },
  },
});

interface Someone {
  name: string;
  email: string;
  date?: string;
}

interface NewCommit {
  tree: string;
  parents: string[];
  author: Someone;
  committer: Someone;
}

async function blob(content: string): Promise<string> {
  return (await api().git.createBlob({ ...at, content })).data.sha;
}

async function commit(wanted: Partial<NewCommit> = {}) {
  const tree = await treeOf(main);
  const parents = [main];
  return (await api().git.createCommit({ ...at, message: 'A message', tree, parents, ...wanted }))
    .data;
}

describe('a link', () => {
  it('is answered like the file that it leads to, or else with its target', async () => {
    const links = {
      'file.md': 'README.md',
      'out.md': '../README.md',
      'gone.md': 'gone',
      dir: 'src',
    };
    const tree = await Promise.all(
      Object.entries(links).map(async ([path, target]) => {
        const sha = await blob(target);
        return { path, mode: '120000' as const, type: 'blob' as const, sha };
      }),
    );
    const made = await api().git.createTree({ ...at, base_tree: await treeOf(main), tree });
    const { sha: ref } = await commit({ tree: made.data.sha });
    const read = async (path: string) => (await api().repos.getContent({ ...at, path, ref })).data;
    const readme = await read('README.md');
    expect(await read('file.md')).toMatchObject({
      type: 'file',
      path: 'file.md',
      content: 'content' in readme ? readme.content : undefined,
    });
    for (const path of ['out.md', 'gone.md', 'dir'])
      expect(await read(path)).toMatchObject({
        type: 'symlink',
        target: Object.entries(links).find(([name]) => name === path)?.[1],
      });
  });
});

describe('a blob', () => {
  it.each([
    ['utf-8', 'hé', 'hé'],
    [
      'base64',
      Buffer.from([0, 255, 10]).toString('base64'),
      Buffer.from([0, 255, 10]).toString('latin1'),
    ],
  ])('in %s is stored as it is, and read in Base64', async (encoding, content, text) => {
    const { data } = await api().git.createBlob({ ...at, content, encoding });
    const read = await api().git.getBlob({ ...at, file_sha: data.sha });
    const bytes = Buffer.from(read.data.content, 'base64');
    expect(encoding === 'base64' ? bytes.toString('latin1') : bytes.toString()).toBe(text);
    expect(read.data).toMatchObject({ sha: data.sha, encoding: 'base64', size: bytes.length });
    expect(await bare('cat-file', '-s', data.sha)).toBe(String(bytes.length));
  });

  it('can be larger than other bodies, up to a limit', async () => {
    const sha = await blob('x'.repeat(2 ** 21));
    expect(await bare('cat-file', '-s', sha)).toBe(String(2 ** 21));
    await expect(blob('x'.repeat(40 * 2 ** 20 + 1))).rejects.toMatchObject(
      denied(422, /input was too large/),
    );
  });

  it('that is no Base64, or not there, is denied', async () => {
    const broken = api().git.createBlob({ ...at, content: 'a*', encoding: 'base64' });
    await expect(broken).rejects.toMatchObject(denied(422, 'content is not valid Base64'));
    const tree = await treeOf(main);
    for (const file_sha of ['0'.repeat(40), tree, 'main'])
      await expect(api().git.getBlob({ ...at, file_sha })).rejects.toMatchObject(
        denied(404, 'Not Found'),
      );
  });
});

describe('a tree', () => {
  it('changes its base: new files, other modes, and entries that go', async () => {
    const sha = await blob('#!/bin/sh\n');
    const { data } = await api().git.createTree({
      ...at,
      base_tree: main,
      tree: [
        { path: 'bin/run', mode: '100755', type: 'blob', sha },
        { path: 'link', mode: '120000', type: 'blob', content: 'bin/run' },
        { path: 'copy', mode: '040000', type: 'tree', sha: await bare('rev-parse', `${main}:src`) },
        { path: 'module', mode: '160000', type: 'commit', sha: '1'.repeat(40) },
        { path: 'src/index.js', mode: '100644', type: 'blob', sha: null },
      ],
    });
    expect(await bare('ls-tree', '-r', '--format=%(objectmode) %(path)', data.sha)).toBe(
      '100644 README.md\n100755 bin/run\n100644 copy/index.js\n120000 link\n160000 module',
    );
    const read = await api().git.getTree({ ...at, tree_sha: data.sha, recursive: '1' });
    expect(read.data.tree.map((one) => `${one.type} ${one.path}`)).toEqual([
      'blob README.md',
      'tree bin',
      'blob bin/run',
      'tree copy',
      'blob copy/index.js',
      'blob link',
      'commit module',
    ]);
  });

  it('without a base has only what it lists, and a file replaces a folder', async () => {
    const tree = [{ path: 'src', mode: '100644', type: 'blob', content: 'x' } as const];
    const alone = await api().git.createTree({ ...at, tree });
    expect(alone.data.tree).toMatchObject([{ path: 'src', type: 'blob', size: 1 }]);
    const { data } = await api().git.createTree({ ...at, tree, base_tree: main });
    expect(data.tree.map(({ path }) => path)).toEqual(['README.md', 'src']);
  });

  it.each([
    [{ path: '../x', content: '' }, 'tree.path contains a malformed path component'],
    [{ path: '.git/config', content: '' }, 'tree.path contains a malformed path component'],
    [{}, 'Must supply either tree.sha or tree.content'],
    [{ sha: '2'.repeat(40) }, `tree.sha ${'2'.repeat(40)} is not a valid blob`],
    [{ mode: '040000' as const, content: 'x' }, /is not a valid tree/],
    [{ mode: '100600' as never, content: '' }, 'Validation Failed'],
  ])('cannot have the entry %j', async (entry, message) => {
    const plain = { path: 'a', mode: '100644', type: 'blob' } as const;
    const create = api().git.createTree({ ...at, tree: [{ ...plain, ...entry }] });
    await expect(create).rejects.toMatchObject(denied(422, message));
  });
});

describe('a commit', () => {
  it('of the App is signed by GitHub, and git finds nothing wrong with it', async () => {
    const data = await commit();
    expect(data).toMatchObject({
      author: { name: 'issuewright[bot]' },
      committer: { name: 'GitHub', email: 'noreply@github.com' },
      verification: { verified: true, reason: 'valid' },
    });
    const { signature, payload } = data.verification;
    expect(signature).toMatch(/^-----BEGIN PGP SIGNATURE-----\n/);
    expect(payload).toContain(`\nparent ${main}\n`);
    expect(await bare('cat-file', 'commit', data.sha)).toContain('\ngpgsig -----BEGIN PGP');
    expect(await bare('fsck', '--strict', '--no-dangling')).toBe('');
    const read = await api().git.getCommit({ ...at, commit_sha: data.sha });
    expect(read.data).toEqual(data);
    const { data: listed } = await api().repos.listCommits({ ...at, sha: data.sha });
    expect(listed.map((one) => one.commit.verification?.verified)).toEqual([true, false]);
  });

  it.each([
    [
      'an author',
      { author: { name: 'Ann <b>', email: 'ann@example.test', date: '2026-01-02T03:04:05+02:00' } },
    ],
    ['a committer', { committer: { name: 'Ann', email: 'ann@example.test' } }],
  ])('with %s is not signed', async (_what, people) => {
    const data = await commit(people);
    expect(data.verification).toMatchObject({
      verified: false,
      reason: 'unsigned',
      signature: null,
    });
    expect(await bare('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('has the author that it names, in a form that git allows', async () => {
    const author = {
      name: 'Ann <b>',
      email: 'ann@example.test',
      date: '2026-01-02T03:04:05+02:00',
    };
    const { sha } = await commit({ author });
    expect(await bare('log', '-1', '--format=%an|%ae|%aI|%cn', sha)).toBe(
      'Ann b|ann@example.test|2026-01-02T03:04:05+02:00|Ann b',
    );
  });

  it('has any number of parents', async () => {
    const root = await commit({ parents: [] });
    const merge = await commit({ parents: [main, root.sha] });
    expect(await bare('log', '-1', '--format=%P', root.sha)).toBe('');
    expect(await bare('log', '-1', '--format=%P', merge.sha)).toBe(`${main} ${root.sha}`);
  });

  it('without a tree or a parent that is there is denied', async () => {
    const tree = '3'.repeat(40);
    const create = (wanted: object) =>
      api().git.createCommit({ ...at, message: 'x', tree, parents: [], ...wanted });
    await expect(create({})).rejects.toMatchObject(denied(422, 'Tree SHA does not exist'));
    await expect(create({ tree: await treeOf(main), parents: [tree] })).rejects.toMatchObject(
      denied(422, 'Parent SHA does not exist or is not a commit object'),
    );
  });

  it('of a person is not signed', async () => {
    const person = withToken(playground.github, 'user_maintainer').rest;
    const tree = await treeOf(main);
    const { data } = await person.git.createCommit({ ...at, message: 'x', tree, parents: [main] });
    expect(data).toMatchObject({
      author: { name: 'maintainer' },
      verification: { verified: false },
    });
  });

  it('is marked as verified on the pages', async () => {
    const { sha } = await commit();
    const page = async (path: string) => (await fetch(playground.github.url + path)).text();
    expect(await page(`/example/words/commit/${sha}`)).toContain('Verified');
    expect(await page(`/example/words/commit/${main}`)).not.toContain('Verified');
  });
});

describe('a reference', () => {
  it('is created, moved and deleted, and a push event of a pull request comes of it', async () => {
    const [first, other] = [await commit(), await commit({ parents: [] })];
    const second = await commit({ parents: [first.sha] });
    const ref = 'heads/made';
    const make = () => api().git.createRef({ ...at, ref: `refs/${ref}`, sha: first.sha });
    expect((await make()).data).toMatchObject({
      ref: 'refs/heads/made',
      object: { type: 'commit', sha: first.sha },
    });
    await expect(make()).rejects.toMatchObject(denied(422, 'Reference already exists'));
    const move = (sha: string, force = false) => api().git.updateRef({ ...at, ref, sha, force });
    expect((await move(second.sha)).data.object.sha).toBe(second.sha);
    await expect(move(other.sha)).rejects.toMatchObject(
      denied(422, 'Update is not a fast forward'),
    );
    expect(await repository.git.head('made')).toBe(second.sha);
    expect((await move(other.sha, true)).data.object.sha).toBe(other.sha);
    await expect(move('4'.repeat(40))).rejects.toMatchObject(denied(422, 'Object does not exist'));
    await api().git.deleteRef({ ...at, ref });
    await expect(move(first.sha)).rejects.toMatchObject(denied(422, 'Reference does not exist'));
    await expect(api().git.deleteRef({ ...at, ref })).rejects.toMatchObject(
      denied(422, 'Reference does not exist'),
    );
  });

  it('moves the head of a pull request', async () => {
    const maintainer = playground.github.as('maintainer');
    await maintainer.push(repository, { branch: 'two', files: { two: '2\n' }, message: 'Two' });
    await maintainer.openPull(repository, { title: 'Two', head: 'two', base: 'main' });
    const before = (await repository.git.head('two')) ?? '';
    const { sha } = await commit({ parents: [before] });
    await api().git.updateRef({ ...at, ref: 'heads/two', sha });
    const { github } = playground;
    const delivery = await github.waitFor(
      () => github.deliveries.find(({ action }) => action === 'synchronize'),
      { what: 'the synchronize event' },
    );
    expect(delivery.payload).toMatchObject({ before, after: sha });
  });

  it('is found by the beginning of its name', async () => {
    for (const name of ['heads/match-b', 'heads/match-a', 'tags/match'])
      await api().git.createRef({ ...at, ref: `refs/${name}`, sha: main });
    const { data } = await api().git.listMatchingRefs({ ...at, ref: 'heads/match' });
    expect(data.map(({ ref }) => ref)).toEqual(['refs/heads/match-a', 'refs/heads/match-b']);
    expect((await api().git.getRef({ ...at, ref: 'tags/match' })).data.object.sha).toBe(main);
  });

  it.each([
    ['main', /must start with 'refs\/'/],
    ['refs/heads/a..b', /is not a valid ref name/],
    ['refs/heads/../../HEAD', /is not a valid ref name/],
  ])('cannot be named %s', async (ref, message) => {
    await expect(api().git.createRef({ ...at, ref, sha: main })).rejects.toMatchObject(
      denied(422, message),
    );
  });

  it('needs write access to contents', async () => {
    const token = await mintToken(playground.github, { permissions: { contents: 'read' } });
    const reader = withToken(playground.github, token).rest.git;
    const create = reader.createRef({ ...at, ref: 'refs/heads/x', sha: main });
    await expect(create).rejects.toMatchObject(
      denied(403, 'Resource not accessible by integration'),
    );
  });
});

describe('a file', () => {
  const write = (content: string, more: object = {}) =>
    api().repos.createOrUpdateFileContents({
      ...at,
      path: 'docs/new.md',
      message: 'Write it',
      content: Buffer.from(content).toString('base64'),
      branch: 'files',
      ...more,
    });

  it('is written, rewritten and deleted in signed commits', async () => {
    await api().git.createRef({ ...at, ref: 'refs/heads/files', sha: main });
    const made = await write('one\n');
    expect(made.status).toBe(201);
    expect(made.data.commit.verification).toMatchObject({ verified: true });
    await expect(write('two\n')).rejects.toMatchObject(denied(422, /"sha" wasn't supplied/));
    const wrong = await blob('else');
    await expect(write('two\n', { sha: wrong })).rejects.toMatchObject(
      denied(409, /does not match/),
    );
    const again = await write('two\n', { sha: made.data.content?.sha });
    expect(again.status).toBe(200);
    expect(await bare('show', 'files:docs/new.md')).toBe('two');
    const where = { ...at, path: 'docs/new.md', branch: 'files', message: 'Away' };
    const sha = again.data.content?.sha ?? '';
    const gone = await api().repos.deleteFile({ ...where, sha });
    expect(gone.data.content).toBeNull();
    expect(await bare('ls-tree', '-r', '--name-only', 'files')).toBe('README.md\nsrc/index.js');
  });
});
