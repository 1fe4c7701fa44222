// GitHub denies something: people see what happened, why, and who can fix it, and requests do not pile up.
import { describe, expect, it } from '@jest/globals';
import { ALL, scene, place, modelRequests, meanwhile } from './denial-scene.ts';

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

describe('what is moved', () => {
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
});
