// `issuewright run` with the address of an issue: the shipped program, the local GitHub, and a person's token.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fineGrainedToken } from '../../packages/local-github/src/github/auth.ts';
import { nativeGit } from '../support/git-server.ts';
import { ADDS, ask, ByHandScene, call, finish, say, write } from './by-hand-scene.ts';

let scene: ByHandScene;
beforeEach(async () => {
  scene = await ByHandScene.open();
});
afterEach(() => scene.close());

const BRANCH = 'issuewright/run-1';
const git = (...words: string[]): string => nativeGit(scene.repository.git.directory, ...words);

describe('issuewright run on an issue', () => {
  it('opens a pull request that closes the issue and says who ran it', async () => {
    const issue = scene.openIssue();
    scene.github.as('bob').comment({ repository: scene.repository, number: 1 }, 'In English.');
    scene.github.as('stranger').comment({ repository: scene.repository, number: 1 }, 'In Latin.');
    const { code, stdout, stderr } = await scene.run([scene.urlOf(issue)], ADDS);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Done.')]);
    const [pull, ...others] = scene.pulls;
    expect(others).toEqual([]);
    expect(stdout.trim()).toBe(`${scene.github.url}/${scene.repository.fullName}/pull/2`);
    expect(pull).toMatchObject({ author: { login: 'ada' }, title: 'Add a greeting' });
    expect(pull?.pull).toMatchObject({ head: BRANCH, base: 'main', draft: false });
    expect(pull?.body).toContain('Closes #1');
    expect(pull?.body).toContain('`ada` started it with `issuewright run`');
    expect(scene.prompts).toContain('Issue #1: @ada requested work on it');
    expect(scene.prompts).toContain('In English.');
    expect(scene.prompts).not.toContain('In Latin.');
    expect(scene.prompts).not.toContain('github_create_comment');
  });

  it('keeps the token out of prompts, arguments and what it prints', async () => {
    const issue = scene.openIssue();
    const look = call('run_shell_command', { command: 'cat /proc/*/environ; env; echo looked' });
    const { stdout, stderr } = await scene.run(
      ['--allow-dangerous-tools', scene.urlOf(issue)],
      [say(look), ...ADDS],
      { LOG_LEVEL: 'trace' },
    );
    expect(scene.prompts).toContain('looked');
    const basic = Buffer.from('x-access-token:user_ada').toString('base64');
    for (const secret of ['user_ada', basic]) {
      expect(scene.prompts).not.toContain(secret);
      expect(stdout + stderr).not.toContain(secret);
    }
  });

  it('continues the pull request of an earlier run, and opens another one once that is merged', async () => {
    const issue = scene.openIssue();
    await scene.run([scene.urlOf(issue)], ADDS);
    const more = [say(write('more.txt', 'more\n'), call('finish', { summary: 'Add more' }))];
    scene.github.as('bob').comment({ repository: scene.repository, number: 2 }, 'More, please.');
    const second = await scene.run([scene.urlOf(issue)], more);
    expect([second.code, scene.pulls.length]).toEqual([0, 1]);
    expect(scene.prompts).toContain('pull request #2 is open');
    expect(scene.prompts).toContain('More, please.');
    const { body = '' } = scene.pulls[0] ?? {};
    expect(body).toContain('\n## Summary\n\nAs asked.\n\n## Changed since\n\n- Add more (');
    expect(body?.match(/Closes #1/g)).toHaveLength(1);
    await scene.github.as('bob').merge({ repository: scene.repository, number: 2 });
    await scene.github.as('bob').reopen({ repository: scene.repository, number: 1 });
    const third = await scene.run(
      ['--yes', scene.urlOf(issue)],
      [say(write('third.txt', '3\n'), finish)],
    );
    expect([third.code, third.stderr]).toEqual([0, expect.stringContaining('Done.')]);
    expect(scene.pulls.map(({ pull }) => pull.head)).toEqual([BRANCH, `${BRANCH}-2`]);
  });

  const readOnly = fineGrainedToken('ada', 'contents:read,issues:read,pull_requests:write');
  it.each<[string, Record<string, string>, RegExp]>([
    ['no token', { GITHUB_TOKEN: '' }, /GITHUB_TOKEN {2}missing/],
    ['a wrong token', { GITHUB_TOKEN: 'ghp_nobodys' }, /is wrong, was revoked, or has expired/],
    ['no right to push', { GITHUB_TOKEN: 'user_stranger' }, /may not write to example\/greetings/],
    ['a token that reads', { GITHUB_TOKEN: readOnly }, /cannot push to .*Contents: Read and write/],
    ['a token of an App', { GITHUB_TOKEN: 'ghs_installation' }, /use one of a person/],
    ['commands that get it', { COMMAND_ENV: 'GITHUB_TOKEN' }, /COMMAND_ENV {2}/],
    ['another server', { GHE_HOST: 'ghe.example' }, /The issue is on .*set GHE_HOST/],
  ])('tells what to do about %s, before it asks a model', async (_, environment, words) => {
    const { code, stderr } = await scene.run([scene.urlOf(scene.openIssue())], ADDS, environment);
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(scene.model.requests).toHaveLength(0);
  });

  it.each<[string, string, RegExp]>([
    ['greetings/issues/1', 'nothing/issues/1', /does not exist, or GITHUB_TOKEN may not see it/],
    ['issues/1', 'issues/7', /does not exist, or GITHUB_TOKEN may not see it/],
    ['issues/1', 'issues/1', /is closed/],
  ])('works on nothing if %s is %s', async (from, to, words) => {
    const issue = scene.openIssue();
    await scene.github.as('ada').close({ repository: scene.repository, number: 1 });
    const { code, stderr } = await scene.run([scene.urlOf(issue).replace(from, to)], ADDS);
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(scene.github.requests.some(({ method }) => method !== 'GET')).toBe(false);
  });

  it('says which permission is missing if the token may open no pull request, and keeps the commits', async () => {
    const issue = scene.openIssue();
    const token = fineGrainedToken('ada', 'contents:write,issues:read,pull_requests:read');
    const { code, stderr } = await scene.run([scene.urlOf(issue)], ADDS, { GITHUB_TOKEN: token });
    expect([code, stderr]).toEqual([1, expect.stringContaining('`pull_requests: write`')]);
    expect(stderr).toContain('Run the command again to continue');
    const again = await scene.run([scene.urlOf(issue)], [say(finish)]);
    expect([again.code, scene.pulls.length]).toEqual([0, 1]);
  });

  it('ends with the question if nobody can answer, and prints one object for scripts', async () => {
    const issue = scene.openIssue();
    const { code, stdout } = await scene.run(['--json', scene.urlOf(issue)], [say(ask)]);
    expect([code, JSON.parse(stdout)]).toEqual([
      3,
      expect.objectContaining({
        outcome: 'unanswered',
        question: 'Which one?',
        pull_request: null,
      }),
    ]);
  });

  it('acts once, whenever it is killed', async () => {
    const issue = scene.openIssue();
    const url = scene.urlOf(issue);
    const turns = [
      say(write('hi.txt', 'hi\n'), call('commit', { message: 'Add a greeting' })),
      say(call('create_pull_request', { title: 'Add a greeting', body: 'As asked.' })),
      { ...say(finish), delay_ms: 600_000 },
    ];
    const afterCommit = await scene.start([url], turns);
    await afterCommit.untilSaid(/commit [0-9a-f]{10}/);
    afterCommit.program.kill('SIGKILL');
    await afterCommit.ended;
    const afterPull = await scene.start([url], turns.slice(1));
    await afterPull.untilSaid(/pull request #2/);
    afterPull.program.kill('SIGKILL');
    await afterPull.ended;
    const last = await scene.run([url], [say(finish)]);
    expect([last.code, last.stderr]).toEqual([0, expect.stringContaining('/pull/2')]);
    expect(scene.pulls).toHaveLength(1);
    expect(git('rev-list', '--count', `main..${BRANCH}`)).toBe('1');
  });

  it('pushes what was changed when it is interrupted twice', async () => {
    const issue = scene.openIssue();
    const turns = [say(write('half.txt', 'half\n')), { ...say(finish), delay_ms: 600_000 }];
    const { program, untilSaid, ended } = await scene.start([scene.urlOf(issue)], turns);
    await untilSaid(/✓ Write half\.txt/);
    program.kill('SIGINT');
    await untilSaid(/Stopping/);
    program.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, signal: null });
    expect(git('show', `${BRANCH}:half.txt`)).toBe('half');
    expect(scene.pulls).toEqual([]);
  });

  it('says when to try again if GitHub wants it to wait before the work has begun', async () => {
    const issue = scene.openIssue();
    scene.github.faults.failNext({
      method: 'GET',
      path: /\/user$/,
      status: 403,
      body: { message: 'You have exceeded a secondary rate limit.' },
      headers: { 'retry-after': '600' },
    });
    const { code, stdout, stderr } = await scene.run([scene.urlOf(issue)], ADDS);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^issuewright run: GitHub's rate limit was reached \(403\)\. Try again after .+\.$/m,
    );
  });

  it('ends at once when it is interrupted while it waits for GitHub, and keeps its work', async () => {
    await scene.close();
    const settings = 'tools: {github_get_issue: true}\n';
    scene = await ByHandScene.open({ '.github/issuewright.yml': settings });
    const issue = scene.openIssue();
    const turns = [say(write('half.txt', 'half\n')), say(call('github_get_issue', { number: 1 }))];
    const { program, ended } = await scene.start([scene.urlOf(issue)], turns);
    const held = scene.model.hold((body) => body.includes('half.txt'));
    await scene.model.untilAsked(2);
    scene.github.faults.failNext({
      method: 'GET',
      path: /\/issues\/1$/,
      status: 403,
      body: { message: 'You have exceeded a secondary rate limit.' },
      // Longer than the test may take.
      headers: { 'retry-after': '600' },
    });
    held.release();
    await scene.github.waitFor(() => scene.github.requests.some(({ status }) => status === 403), {
      what: 'the answer of GitHub',
    });
    program.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, signal: null });
    expect(git('show', `${BRANCH}:half.txt`)).toBe('half');
  });

  it('goes on with the next issue with the label, and leaves those of strangers and those that were begun', async () => {
    scene.openIssue('First', 'Write a.txt.', ['issuewright']);
    const second = scene.openIssue('Second', 'Write b.txt.', ['issuewright']);
    scene.openIssue('Third', 'Write c.txt.');
    await scene.github.as('ada').push(scene.repository, {
      branch: `issuewright/issue-${second.number}`,
      files: { 'b.txt': 'b\n' },
      message: 'Begin',
    });
    scene.openIssue('Fourth', 'Write d.txt.', ['issuewright']);
    const root = `${scene.github.url}/${scene.repository.fullName}`;
    const environment = await scene.environment(
      ['a', 'd'].map((name) => ({
        match: `Write ${name}.txt`,
        turns: [say(write(`${name}.txt`, 'x\n'), finish)],
      })),
    );
    const { code, stdout, stderr } = await scene.runWith(['--continuous', root], environment);
    expect([code, stderr]).toEqual([0, expect.stringContaining('No open issue with the label')]);
    expect(stdout.trim().split('\n')).toEqual([`${root}/pull/5`, `${root}/pull/6`]);
  });

  it('lets those who trigger a workflow request no more than they may by hand', async () => {
    const issue = scene.openIssue();
    const token = scene.github.installations.token(1, {
      contents: 'write',
      issues: 'read',
      pull_requests: 'write',
    });
    const workflow = { GITHUB_ACTIONS: 'true', GITHUB_TOKEN: token };
    const actor = (login: string) => ({
      GITHUB_ACTOR: login,
      GITHUB_ACTOR_ID: String(scene.github.as(login).user.id),
    });
    const url = scene.urlOf(issue);
    const denied = await scene.run([url], ADDS, { ...workflow, ...actor('stranger') });
    expect([denied.code, denied.stderr]).toEqual([
      1,
      expect.stringContaining('let @stranger request no work'),
    ]);
    expect(scene.model.requests).toHaveLength(0);
    const done = await scene.run([url], ADDS, { ...workflow, ...actor('ada') });
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('Done.')]);
    expect(scene.pulls[0]?.author.login).toBe('workflows[bot]');
  });
});
