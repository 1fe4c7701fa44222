// The shipped program in a folder whose author has set all that git can be told to run, in each form that a folder has.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fineGrainedToken } from '../../packages/local-github/src/github/auth.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../packages/local-github/src/model/server.ts';
import { whyNot } from '../../packages/sandbox/test/support.ts';
import { nativeGit } from '../support/git-server.ts';
import { runProgram } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createDatabase } from '../support/test-database.ts';
import {
  FORMS,
  newFolder,
  snapshot,
  type Form,
  type HostileFolder,
} from '../workspace/git/folder/hostile-folder.ts';
import { SETTINGS } from '../workspace/git/folder/hostile-settings.ts';
import { ADDS, asking, ByHandScene, finish, say, write } from './by-hand-scene.ts';

const BRANCH = 'issuewright/add-a-greeting';

let model: ModelServer | undefined;
let scene: ByHandScene | undefined;
afterEach(async () => {
  await model?.close();
  await scene?.close();
  [model, scene] = [undefined, undefined];
});

/** All settings at once. */
function plantAll(form: Form): HostileFolder {
  const folder = newFolder(form);
  for (const { plant, forms = FORMS } of SETTINGS) if (forms.includes(form)) plant(folder);
  return folder;
}

/** What a program may not do here, with the changes that it did make. */
function watch({ root, tree, common, ran }: HostileFolder) {
  const except = ['objects', 'refs']
    .map((name) => join(common, name))
    .concat(join(root, 'canaries'));
  const before = snapshot(root, except);
  return () => {
    const now = snapshot(root, except);
    const paths = [...new Set([...before.keys(), ...now.keys()])];
    const changed = paths.filter((path) => before.get(path) !== now.get(path));
    // What an evaluation and a database leave behind.
    const own = join(tree, 'data').slice(root.length);
    return { ran: ran(), changed: changed.filter((path) => !path.startsWith(own)) };
  };
}

const NOTHING = { ran: [], changed: [] };

describe.each(FORMS)('in a hostile folder (%s)', (form) => {
  it('`issuewright run` makes its branch, and nothing of the folder runs', async () => {
    const folder = plantAll(form);
    const done = watch(folder);
    model = await startModelServer({ scripts: [{ turns: ADDS }] });
    const environment = { ...asking(model), HOME: join(folder.root, 'home') };
    const words = ['run', 'Add a greeting'];
    const { code, stderr } = await runProgram(words, { directory: folder.tree, environment });
    expect([code, stderr]).toEqual([0, expect.stringContaining(`git merge ${BRANCH}`)]);
    expect(done()).toEqual(NOTHING);
    expect(nativeGit(folder.common, 'cat-file', 'blob', `${BRANCH}:hi.txt`)).toBe('hi');
  });

  it('`issuewright replay` runs nothing of it', async () => {
    const folder = plantAll(form);
    const done = watch(folder);
    const { url, drop } = await createDatabase();
    try {
      const environment = { PATH: process.env['PATH'] ?? '', DATABASE_URL: url };
      const words = ['replay', 'a0b1c2d3e4f5'];
      const { code, stderr } = await runProgram(words, { directory: folder.tree, environment });
      expect([code, stderr]).toEqual([1, expect.stringMatching(/session/i)]);
    } finally {
      await drop();
    }
    expect(done()).toEqual(NOTHING);
  });
});

const inSandbox = whyNot === '' ? it : it.skip;

inSandbox('`issuewright evaluate` runs nothing of a hostile folder', async () => {
  const folder = plantAll('archive');
  const done = watch(folder);
  scene = await ByHandScene.open({
    'test/0.sh': 'true\n',
    '.github/issuewright.yml': 'test: for each in test/*.sh; do sh "$each" || exit 1; done\n',
  });
  await solveIssue(scene);
  model = await startModelServer({
    scripts: [{ turns: [say(write('a.txt', 'a\n')), say(finish)] }],
  });
  const results = temporaryDirectory();
  const catalog = join(results, 'prices.json');
  const price = { input: 0, output: 1 };
  writeFileSync(catalog, JSON.stringify({ models: { 'openai:scripted': { price } } }));
  const { code, stdout } = await runProgram(
    [
      'evaluate',
      '--allow-dangerous-tools',
      '--budget',
      '100',
      '--json',
      '--out',
      join(results, 'results.jsonl'),
      `${scene.github.url}/${scene.repository.fullName}`,
    ],
    {
      directory: folder.tree,
      environment: {
        ...asking(model),
        MODEL_CATALOG: catalog,
        GITHUB_TOKEN: fineGrainedToken('ada', 'contents:read,issues:read,pull_requests:read'),
        GHE_HOST: new URL(scene.github.url).host,
        GHE_PROTOCOL: 'http',
      },
    },
  );
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    { tasks: [{ results: [{ solved: true }] }] },
  ]);
  expect(done()).toEqual(NOTHING);
});

/** An issue that a merged pull request with a test closed. */
async function solveIssue({ github, repository }: ByHandScene): Promise<void> {
  const ada = github.as('ada');
  const { number } = ada.openIssue(repository, { title: 'Write a.txt', body: '', labels: [] });
  const files = { 'a.txt': 'a\n', 'test/1.sh': 'test "$(cat a.txt)" = a\n' };
  await ada.push(repository, { branch: 'fix', files, message: 'Solve it' });
  const pull = await ada.openPull(repository, {
    title: 'Solve it',
    body: `Closes #${number}`,
    head: 'fix',
    base: 'main',
  });
  await ada.merge({ repository, number: pull.number });
}
