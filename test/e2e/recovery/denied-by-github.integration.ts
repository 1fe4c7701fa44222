// GitHub denies something: people see what happened, why, and who can fix it, and requests do not pile up.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { ExtraRepository } from '../extra-repository.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (path: string) => say(call('write_file', { path, content: 'Notes\n' }));
const commit = say(call('commit', { message: 'Add notes' }));
const finish = (outcome: string) => say(call('finish', { summary: 'Notes are there.', outcome }));

const SCRIPTS: Script[] = [
  {
    match: 'Write slowly',
    turns: [write('NOTES.md'), { ...commit, delay_ms: 300 }, finish('done'), finish('done')],
  },
  { match: 'Write notes', turns: [write('NOTES.md'), commit, finish('done'), finish('done')] },
  {
    match: 'Write a workflow',
    turns: [write('.github/workflows/ci.yml'), write('NOTES.md'), commit, finish('done')],
  },
  { match: 'Nothing', turns: [finish('nothing_to_do')] },
  {
    match: 'Ask first',
    turns: [say(call('ask_question', { question: 'Which notes?' })), finish('nothing_to_do')],
  },
];

const ALL = {
  metadata: 'read',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
} as const;

let scene: Scene;
let installation = 20;

beforeAll(async () => {
  scene = await Scene.open({ scripts: SCRIPTS });
});
afterAll(() => scene.close());

const place = (name: string): Promise<ExtraRepository> =>
  ExtraRepository.open(scene, name, (installation += 1));
const modelRequests = (): number => scene.agentRequests.length;

/** Another issue, from its label to its end: time enough for a storm elsewhere. */
async function meanwhile(): Promise<void> {
  const issue = scene.ask('Nothing', 'meanwhile');
  await scene.untilStatus(issue, /nothing to change/i);
  await scene.until('the outcome', () => scene.comments(issue).length === 2);
}

describe('a permission that is missing', () => {
  it('to push is named before the model is asked, and the work begins once it is accepted', async () => {
    const here = await place('no-contents');
    scene.github.installations.grant(here.installation, { ...ALL, contents: 'read' });
    const before = modelRequests();
    const issue = here.ask('Write notes');
    await here.untilStatus(issue, /failed/i);
    expect(here.status(issue)).toMatch(
      /lacks the permission `contents: write`\. An account owner must approve the pending permission request in \[the settings of the App's installation\]\(http/,
    );
    expect(modelRequests()).toBe(before);
    scene.github.installations.acceptPermissions(here.installation);
    here.say(issue, '/issuewright retry');
    await here.untilStatus(issue, /ready for review/i);
  });

  it('to open the pull request is named, and the work is not done again for it', async () => {
    const here = await place('no-pulls');
    const { pull_requests: _pulls, ...rest } = ALL;
    scene.github.installations.grant(here.installation, rest);
    const issue = here.ask('Write notes');
    await here.untilStatus(issue, /failed/i);
    expect(here.status(issue)).toMatch(/lacks the permission `pull_requests: write`/);
    expect(await here.repository.git.branches()).toHaveProperty('size', 2);
    scene.github.installations.acceptPermissions(here.installation);
    here.say(issue, '/issuewright retry');
    await here.untilStatus(issue, /ready for review/i);
    expect(here.pulls()).toHaveLength(1);
  });

  it('to comment is said in the pull request, on the page and in the log, and holds no work up', async () => {
    const here = await place('no-comments');
    scene.github.installations.grant(here.installation, { ...ALL, issues: 'read' });
    here.mark();
    const issue = here.ask('Write notes');
    const pull = await here.untilPull();
    await scene.until('the words in the pull request', () => pull.body?.includes('⚠️'));
    const words = /lacks the permission `issues: write`\. An account owner must approve/;
    expect(pull.body).toMatch(words);
    await scene.until('the state', () => /Ready for review/.test(pull.body ?? ''));
    expect(await here.page(issue)).toMatch(words);
    await here.untilDenied(words);
    await meanwhile();
    const denied = here.asked().filter((one) => one.endsWith(' 403'));
    expect(denied.length).toBeLessThanOrEqual(here.bound);
    scene.github.installations.acceptPermissions(here.installation);
    await here.untilStatus(issue, /ready for review/i);
    await scene.until('the words to be gone', () => !/⚠️/.test(pull.body ?? ''));
  });

  it('for all of the issue is said on the page and in the log, and asked again it begins', async () => {
    const here = await place('no-issues');
    const { issues: _issues, ...rest } = ALL;
    scene.github.installations.grant(here.installation, rest);
    here.mark();
    const issue = here.ask('Nothing');
    const words = /lacks the permission `issues: write`\. An account owner must approve/;
    await here.untilDenied(words);
    expect(await here.page(issue)).toMatch(words);
    expect(here.comments(issue)).toBe('');
    scene.github.installations.acceptPermissions(here.installation);
    await scene.until('the words', () => words.test(here.comments(issue)));
    here.say(issue, '/issuewright please do it');
    await here.untilStatus(issue, /nothing to change/i);
  });

  it('to look up permissions is reported once to the requester, and not looked up again', async () => {
    const here = await place('no-look-up');
    const restore = scene.github.faults.failNext({
      path: new RegExp(`/${here.repository.name}/collaborators/.*/permission$`),
      status: 403,
      body: { message: 'Must have push access to view collaborator permission.' },
      times: 99,
    });
    here.mark();
    const issue = here.ask('Nothing');
    await scene.until('the words', () => here.comments(issue) !== '');
    expect(here.comments(issue)).toMatch(
      /^@\S+ GitHub didn't let me check your permissions\. .* Must have push access .* Ask again once this is fixed\./s,
    );
    // The run and the publisher judge at the same time.
    const lookUps = here.asked().filter((one) => one.includes('/collaborators/'));
    expect(lookUps.length).toBeLessThanOrEqual(2);
    restore();
    here.say(issue, '/issuewright please do it');
    await here.untilStatus(issue, /nothing to change/i);
  });
});

describe('a rule', () => {
  it.each([
    [
      'that protects the branch',
      'error: GH006: Protected branch update failed for refs/heads/issuewright/issue-1.\nerror: Changes must be made through a pull request.',
      /A branch protection rule stops the App from pushing to this branch\. An administrator can add the App to the rule's bypass list, or exclude `issuewright\/\*\*` from the rule/,
    ],
    [
      'against new branches',
      'error: GH013: Repository rule violations found for refs/heads/issuewright/issue-1.\n\n- Cannot create ref due to creations being restricted.',
      /A repository rule stops the App from creating this branch\. An administrator/,
    ],
    [
      'about workflow files',
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission',
      /of the base branch in line with those of the default branch/,
    ],
  ])('%s is reported with who can fix it, and the work is kept', async (name, words, fix) => {
    const here = await place(name.replaceAll(' ', '-'));
    await scene.github.faults.rejectPush(words, [here.repository]);
    here.mark();
    const issue = here.ask('Write notes');
    await here.untilStatus(issue, /failed/i);
    expect(here.status(issue)).toMatch(fix);
    const [first = ''] = words.split('\n');
    await scene.until('the words of GitHub', () => here.comments(issue).includes(first));
    // The push, and that of what the run leaves; each is two requests.
    expect(here.asked().filter((one) => /receive-pack /.test(one)).length).toBeLessThanOrEqual(4);
    await scene.github.faults.rejectPush(undefined, [here.repository]);
    here.say(issue, '/issuewright retry');
    await here.untilStatus(issue, /ready for review/i);
    expect(await here.repository.git.branches()).toHaveProperty('size', 2);
  });

  it('of ours keeps the model from workflow files, with an explanation that it can act on', async () => {
    const here = await place('workflow');
    const issue = here.ask('Write a workflow');
    await here.untilStatus(issue, /ready for review/i);
    const sent = scene.agentRequests.map(({ body }) => body);
    expect(sent.at(-1)).toMatch(/workflows/);
    expect(here.comments(issue)).not.toMatch(/failed/i);
  });
});

describe('a repository that is archived', () => {
  it('in the middle of the work is shown on the page and in the log, gets no more requests, and work resumes when asked again', async () => {
    const here = await place('archived');
    const issue = here.ask('Write slowly');
    await here.duringRun(() => scene.maintainer.archive(here.repository));
    const words = /archived.*An administrator can unarchive it/;
    await here.untilDenied(words);
    await here.untilLoggedOfSession(/run step failed|failed to push uncommitted work/);
    await meanwhile();
    expect(await here.page(issue)).toMatch(words);
    expect(here.asked().filter((one) => one.endsWith(' 403')).length).toBeLessThanOrEqual(
      here.bound,
    );
    scene.maintainer.archive(here.repository, false);
    here.say(issue, '/issuewright retry');
    await here.untilStatus(issue, /ready for review/i);
    expect(here.pulls()).toHaveLength(1);
  });
});

describe('an issue that is locked', () => {
  it('holds no work up: the pull request carries the words, and the page', async () => {
    const here = await place('locked');
    const issue = here.open('Write notes');
    scene.maintainer.lock(here.thread(issue));
    here.mark();
    scene.maintainer.label(here.thread(issue), 'issuewright');
    const pull = await here.untilPull();
    const words = /conversation is locked\. Someone with write access can unlock it/;
    await scene.until('the words', () => words.test(pull.body ?? ''));
    await scene.until('the end', () => /Ready for review/.test(pull.body ?? ''));
    expect(await here.page(issue)).toMatch(words);
    expect(here.asked().filter((one) => one.endsWith(' 403')).length).toBeLessThanOrEqual(
      here.bound,
    );
    expect(here.comments(issue)).toBe('');
    scene.maintainer.lock(here.thread(issue), false);
    here.say(issue, '/issuewright status');
    await here.untilStatus(issue, /ready for review/i);
  });

  it('shows its question on the page, and accepts the answer of people who can still write there', async () => {
    const here = await place('locked-question');
    const issue = here.open('Ask first');
    scene.maintainer.lock(here.thread(issue));
    here.mark();
    scene.maintainer.label(here.thread(issue), 'issuewright');
    await here.untilDenied();
    await scene.until('the question', async () => /Which notes\?/.test(await here.page(issue)));
    const before = modelRequests();
    here.say(issue, 'The second.');
    await scene.untilAgentAsked(before + 1);
    expect(scene.agentRequests.at(-1)?.body).toContain('The second.');
  });
});

describe('what is moved', () => {
  it('an issue in the middle of its work: it ends there, says where it went, and is done once', async () => {
    const here = await place('before');
    const there = await place('after');
    const issue = here.ask('Write slowly');
    let moved = issue;
    await here.duringRun(() => {
      moved = scene.maintainer.transfer(here.thread(issue), there.repository);
    });
    await here.untilLogged(/session deferred|publishing denied|issues.transferred/);
    await scene.until('the page', async () =>
      /Issue moved to \S+\/after\/issues\/1/.test(await here.page(issue)),
    );
    await meanwhile();
    expect(await here.page(issue)).toMatch(
      /Stopped.* transferred the issue to \S+, .*Request it there/,
    );
    expect(here.pulls()).toHaveLength(0);
    expect(here.asked().length).toBeLessThanOrEqual(14 + here.bound);
    scene.maintainer.label(there.thread(moved), 'issuewright');
    await scene.until('the work there', () => /Ready for review/.test(there.comments(moved)));
    expect(there.pulls()).toHaveLength(1);
  });

  it('a repository that is renamed in the middle of the work: it continues under the new name', async () => {
    const here = await place('old-name');
    const issue = here.ask('Write slowly');
    await here.duringRun(() => scene.maintainer.rename(here.repository, 'new-name'));
    await here.untilStatus(issue, /ready for review/i);
    expect(here.pulls()).toHaveLength(1);
    here.say(issue, '/issuewright status');
    const before = here.status(issue);
    await scene.until('the 👍', () =>
      here.repository.comments.some(({ reactions }) =>
        reactions.some(({ content }) => content === '+1'),
      ),
    );
    expect(here.status(issue).split('\n')[0]).toBe(before.split('\n')[0]);
  });
});

describe('the branch that the work goes to', () => {
  it('is followed if it is renamed in the middle of the work', async () => {
    const here = await place('renamed-base');
    const issue = here.ask('Write slowly');
    await here.duringRun(() => scene.maintainer.renameBranch(here.repository, 'main', 'a/trunk'));
    await here.untilStatus(issue, /ready for review/i);
    expect(here.pulls().map(({ pull }) => pull.base)).toEqual(['a/trunk']);
    // The pull request of an earlier session follows by itself.
    await scene.maintainer.renameBranch(here.repository, 'a/trunk', 'main');
    expect(here.pulls().map(({ pull }) => pull.base)).toEqual(['main']);
  });

  it('is named if it is deleted in the middle of the work, which a retry brings elsewhere', async () => {
    const settings = { '.github/issuewright.yml': 'base: develop\n' };
    const here = await ExtraRepository.open(scene, 'deleted-base', (installation += 1), settings);
    const change = { files: { 'DEVELOP.md': 'Here.\n' }, message: 'Begin' };
    await scene.maintainer.push(here.repository, { branch: 'develop', ...change });
    const issue = here.ask('Write slowly');
    await here.duringRun(() => scene.maintainer.deleteBranch(here.repository, 'develop'));
    await here.untilStatus(issue, /failed/i);
    expect(here.status(issue)).toMatch(
      /The branch `develop`, which the pull request was to go to, does not exist any more.*Restore `develop`, or choose another/,
    );
    await scene.maintainer.push(here.repository, { branch: 'develop', ...change });
    here.say(issue, '/issuewright retry');
    await here.untilStatus(issue, /ready for review/i);
    expect(here.pulls().map(({ pull }) => pull.base)).toEqual(['develop']);
  });
});

describe('an installation', () => {
  it('that is suspended in the middle of the work defers it, and it resumes by itself once that is lifted', async () => {
    const here = await place('suspended');
    const { installations } = scene.github;
    const issue = here.ask('Write slowly');
    await here.duringRun(() => installations.suspend(here.installation));
    const words = /installation is suspended.*The work then resumes automatically/;
    expect(await here.untilLoggedOfSession(/session deferred/)).toMatch(words);
    await here.untilDenied();
    expect(await here.page(issue)).toMatch(/Waiting until .* installation is suspended/);
    await meanwhile();
    expect(here.asked().length).toBeLessThanOrEqual(here.bound);
    const model = modelRequests();
    installations.unsuspend(here.installation);
    await here.untilStatus(issue, /ready for review/i);
    expect(here.pulls()).toHaveLength(1);
    // The call that was interrupted is made again: the model is asked for what follows it alone.
    expect(modelRequests() - model).toBe(1);
  });

  it('that is removed in the middle of the work defers it with an explanation, and gets no more requests', async () => {
    const here = await place('removed');
    const issue = here.ask('Write slowly');
    await here.duringRun(() => scene.github.installations.uninstall(here.installation));
    const words = /no longer installed on example.*An account owner can install it again/;
    await here.untilDenied(words);
    await scene.service.untilLogged(/"event":"installation.deleted"/);
    await meanwhile();
    expect(await here.page(issue)).toMatch(words);
    expect(await here.page(issue)).toMatch(/Waiting until/);
    expect(here.asked().length).toBeLessThanOrEqual(here.bound);
  });

  it('that is made again is used at once, and the work continues by itself', async () => {
    const here = await place('installed-again');
    const { installations } = scene.github;
    const issue = here.ask('Write notes');
    await here.duringRun(() => {
      installations.uninstall(here.installation);
      installations.install([here.repository], 131);
    });
    await here.untilStatus(issue, /ready for review/i);
    const other = here.ask('Write slowly');
    await here.duringRun(() => installations.uninstall(131));
    await here.untilDenied();
    // A run that goes on until the App is back would use it, and not be deferred.
    await here.untilLoggedOfSession(/session deferred/);
    installations.install([here.repository], 132);
    await here.untilStatus(other, /ready for review/i);
    expect(here.pulls()).toHaveLength(2);
  });

  it('that loses the repository defers the work, which continues by itself once it is added', async () => {
    const here = await place('taken-out');
    const { installations } = scene.github;
    const issue = here.ask('Write slowly');
    await here.duringRun(() => installations.remove(here.repository));
    const words = /not installed on example\/taken-out.*An account owner can add the repository/;
    await here.untilDenied(words);
    await here.untilLoggedOfSession(/session deferred/);
    expect(await here.page(issue)).toMatch(words);
    expect(here.asked().length).toBeLessThanOrEqual(here.bound);
    installations.add(here.repository, here.installation);
    await here.untilStatus(issue, /ready for review/i);
    expect(here.pulls()).toHaveLength(1);
  });

  it('that loses the repository before a request is judged forgets nothing of it', async () => {
    const here = await place('taken-out-early');
    const { installations } = scene.github;
    const look = scene.github.faults.hold({ path: /\/taken-out-early\/collaborators\// });
    here.mark();
    const issue = here.ask('Nothing');
    await look.applied;
    installations.remove(here.repository);
    look.drop();
    await here.untilDenied(/not installed on/);
    installations.add(here.repository, here.installation);
    await here.untilStatus(issue, /nothing to change/i);
  });
});
