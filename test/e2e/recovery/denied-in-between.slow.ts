// More that GitHub denies in the middle of the work: what is locked, moved, deleted or taken away from the App.
import { describe, expect, it } from '@jest/globals';
import { scene, place, modelRequests, meanwhile } from './denial-scene.ts';

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
    const here = await place('deleted-base', settings);
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
