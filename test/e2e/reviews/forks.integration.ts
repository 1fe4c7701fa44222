// Pull requests from forks, through the shipped service.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import MarkdownIt from 'markdown-it';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { PullRequest, Repository } from '../../../packages/local-github/src/github/state.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const exec = promisify(execFile);
const CI = '.github/workflows/ci.yml';

const review = (summary: string, comments: object[]) =>
  say(call('submit_review', { summary, comments }));

const write = (path: string, content: string) => say(call('write_file', { path, content }));
const finish = (summary: string) => say(call('finish', { summary, outcome: 'done' }));

const SCRIPTS: Script[] = [
  {
    match: 'Say it louder',
    turns: [
      { ...write('LOUD it is.md', 'Louder <!-- fixes #1 -->\n```'), when: 'of the fork `ann/' },
      say(call('commit', { message: 'Say it louder' })),
      { ...finish('It is louder.'), when: 'Nothing can be pushed to a fork' },
      { ...write('theirs.txt', 'Ours too\n'), when: 'even louder' },
      finish('It is the loudest.'),
      { ...write('more.txt', 'More\n'), when: 'more of it' },
      finish('There is more.'),
    ],
  },
  {
    match: 'Make it large',
    turns: [write('large.txt', 'A line of text\n'.repeat(3_000)), finish('It is large.')],
  },
  {
    match: 'What do you think',
    turns: [
      {
        ...review('I would wait.', [{ path: 'theirs.txt', line: 1, body: 'Why?' }]),
        when: 'of the fork `ann/',
      },
    ],
  },
];

describe('a mention on a pull request from a fork', () => {
  let scene: Scene;
  let fork: Repository;
  beforeAll(async () => {
    const files = { ...SAMPLE.files, [CI]: 'version: 1\n' };
    scene = await Scene.open({ scripts: SCRIPTS, people: ['ann'], files });
    fork = await ann().fork(scene.repository);
  });
  afterAll(() => scene.close());

  const ann = () => scene.github.as('ann');

  async function pullFrom(branch: string): Promise<PullRequest> {
    const files = { 'theirs.txt': `Theirs: ${branch}\n` };
    await ann().push(fork, { branch, files, message: `Begin ${branch}` });
    const text = { title: `About ${branch}`, body: 'Words of its author.' };
    return ann().openPull(scene.repository, { ...text, head: `ann:${branch}`, base: 'main' });
  }
  const mention = (pull: PullRequest, body: string) =>
    scene.maintainer.comment(scene.thread(pull), body);
  /** What people copy from the comment with these words. */
  const patchOf = (pull: PullRequest, words: string): Promise<string> =>
    scene.until('the patch', () => {
      const found = scene.comments(pull).find(({ body }) => body.includes(`\n\n> ${words}`));
      const blocks = new MarkdownIt({ html: true }).parse(found?.body ?? '', {});
      return blocks.find(({ type }) => type === 'fence')?.content;
    }) as Promise<string>;
  async function cloneOf(branch: string): Promise<string> {
    const clone = await mkdtemp(path.join(scene.directory, 'clone-'));
    await exec('git', ['clone', '-q', '-b', branch, fork.git.directory, clone]);
    return clone;
  }
  const paste = (cwd: string, words: string) => exec('bash', ['-c', words], { cwd });
  const contentOf = (clone: string, name: string) => readFile(path.join(clone, name), 'utf8');
  const textOf = (pull: PullRequest): string =>
    scene
      .comments(pull)
      .map(({ body }) => body)
      .join('\n');

  it('cannot merge the base branch there, and a comment says so and what to do', async () => {
    const pull = await pullFrom('behind');
    const asked = scene.agentRequests.length;
    const command = mention(pull, '/issuewright resolve');
    await scene.until('the comment', () => scene.comments(pull).length === 1);
    expect(textOf(pull)).toMatch(
      /^@octo-maintainer I can't push to the fork `ann\/[\w-]+`\. ann can merge `main`: /,
    );
    await scene.until('the reaction', () =>
      command.reactions.some(({ content }) => content === 'confused'),
    );
    mention(pull, '@issuewright resolve the conflicts');
    mention(pull, '@issuewright What do you think?');
    await scene.until('the review', () =>
      scene.repository.reviews.some((one) => one.pullNumber === pull.number),
    );
    const said = scene.comments(pull).filter(({ body }) => body.includes('ann can merge'));
    expect(said).toHaveLength(1);
    expect(scene.agentRequests).toHaveLength(asked + 1);
  });

  it('is answered with a patch, of all that was done since the head that the fork has then', async () => {
    const pull = await pullFrom('louder');
    const before = await scene.gitIn(fork, 'rev-parse', 'louder');
    mention(pull, '@issuewright Say it louder, please.');
    await scene.untilStatus(pull, /Patched.*It is louder/);
    const first = await patchOf(pull, 'It is louder');
    const clone = await cloneOf('louder');
    await paste(clone, first);
    expect(await contentOf(clone, 'LOUD it is.md')).toBe('Louder <!-- fixes #1 -->\n```');

    mention(pull, '@issuewright Make it even louder.');
    await scene.untilStatus(pull, /Patched.*It is the loudest/);
    await paste(await cloneOf('louder'), await patchOf(pull, 'It is the loudest'));
    await scene.until('the first to be replaced', () => /newer patch below/.test(textOf(pull)));

    const files = { 'LOUD it is.md': 'Applied by Ann\n' };
    await ann().push(fork, { branch: 'louder', files, message: 'Apply it' });
    mention(pull, '@issuewright I want more of it.');
    await scene.untilStatus(pull, /Patched.*There is more/);
    const last = await patchOf(pull, 'There is more');
    expect(last).not.toContain('theirs.txt');
    const after = await cloneOf('louder');
    await paste(after, last);
    expect(await contentOf(after, 'more.txt')).toBe('More\n');

    expect(await scene.gitIn(fork, 'rev-parse', 'louder^')).toBe(before);
    expect(await scene.branches()).toEqual([]);
    expect(scene.comments(pull)).toHaveLength(4);
  });

  it('is answered with a branch of this repository if the change is too large for a comment', async () => {
    const pull = await pullFrom('large');
    const head = await scene.gitIn(fork, 'rev-parse', 'large');
    mention(pull, '@issuewright Make it large.');
    await scene.untilStatus(pull, /Patched.*It is large/);
    const words = await patchOf(pull, 'It is large');
    const branch = `issuewright/pull-${pull.number}`;
    expect(await scene.branches()).toEqual([branch]);
    expect(await scene.git('log', '-1', '--format=%P %B', branch)).toMatch(
      new RegExp(`^${head} It is large\\.\\n\\n\\[skip ci\\]`),
    );
    expect(textOf(pull)).toContain(`/compare/${head}...${branch})`);
    const clone = await cloneOf('large');
    const local = words.replace(/'[^']*'/, `'${scene.repository.git.directory}'`);
    await paste(clone, local);
    expect(await contentOf(clone, 'large.txt')).toHaveLength(45_000);
  });

  it('is answered with a branch that has the workflow files of the base branch, which no patch brings to the fork', async () => {
    const pull = await pullFrom('late');
    const head = await scene.gitIn(fork, 'rev-parse', 'late');
    // A branch of an earlier patch would have the old one still.
    for (const name of await scene.branches())
      await scene.repository.git.deleteRef(`refs/heads/${name}`);
    const files = { [CI]: 'version: 2\n' };
    await scene.maintainer.push(scene.repository, { branch: 'main', files, message: 'Update CI' });
    mention(pull, '@issuewright Make it large.');
    await scene.untilStatus(pull, /Patched.*It is large/);
    const words = await patchOf(pull, 'It is large');
    const branch = `issuewright/pull-${pull.number}`;
    expect(await scene.git('rev-parse', `${branch}^`)).toBe(head);
    expect(await scene.git('show', `${branch}:${CI}`)).toBe('version: 2');
    const clone = await cloneOf('late');
    await paste(clone, words.replace(/'[^']*'/, `'${scene.repository.git.directory}'`));
    expect(await contentOf(clone, 'large.txt')).toHaveLength(45_000);
    const { stdout } = await exec('git', ['status', '--short'], { cwd: clone });
    expect(stdout).toBe('A  large.txt\n');
  });

  it.each([
    ['', 'thoughts'],
    [' on one whose fork was deleted', 'thoughts-too'],
  ])(
    'that asks for an opinion%s, is answered in a review of its head, and changes nothing',
    async (circumstance, branch) => {
      const pull = await pullFrom(branch);
      const head = await scene.gitIn(fork, 'rev-parse', branch);
      if (circumstance !== '') ann().deleteFork(fork);
      mention(pull, '@issuewright What do you think of this?');
      await scene.untilStatus(pull, /Reviewed/);
      const { reviews, reviewComments } = scene.repository;
      const [written, ...others] = reviews.filter(({ pullNumber }) => pullNumber === pull.number);
      expect(others).toEqual([]);
      expect(written).toMatchObject({ state: 'COMMENTED', commitSha: head });
      const lines = reviewComments.filter(({ reviewId }) => reviewId === written?.id);
      expect(lines).toMatchObject([{ body: 'Why?' }]);
      const branches = await scene.branches();
      expect(branches.filter((name) => name.includes(`${pull.number}`))).toEqual([]);
      expect(textOf(pull)).toContain('**✅ Reviewed** · [see the review](');
      expect(scene.comments(pull)).toHaveLength(1);
    },
    300_000,
  );

  it('is rejected if it comes from its author, who may not write here', async () => {
    const own = await scene.github.as('stranger').fork(scene.repository);
    const files = { 'quiet.txt': 'Quiet\n' };
    const stranger = scene.github.as('stranger');
    await stranger.push(own, { branch: 'main', files, message: 'Be quiet' });
    const text = { title: 'Be quiet', body: '', head: 'stranger:main', base: 'main' };
    const pull = await stranger.openPull(scene.repository, text);
    const asked = scene.agentRequests.length;
    stranger.comment(scene.thread(pull), '@issuewright What do you think of this?');
    await scene.until('the rejection', () =>
      /@stranger Thanks! Someone with write access has to start me/.test(textOf(pull)),
    );
    expect(scene.agentRequests).toHaveLength(asked);
  });
});
