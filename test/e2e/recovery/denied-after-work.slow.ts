// GitHub denies something once the work is done: the work is no failure, and people read what is left to them.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { OPTIONAL_PERMISSIONS, PERMISSIONS } from '../../../src/github/access/permissions.ts';
import { ExtraRepository } from '../extra-repository.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (content: string) => call('write_file', { path: 'NOTES.md', content });
const finish = call('finish', { summary: 'Notes are there.' });
const reply = call('reply', { to: '1', text: 'They are longer now.' });

const script: Script = {
  match: 'Write notes',
  turns: [say(write('Notes\n'), finish), say(write('Long notes\n'), reply, finish)],
};

const GRANTED = { ...PERMISSIONS, ...OPTIONAL_PERMISSIONS };
const FILES = { '.github/issuewright.yml': 'comment_wait: 0\nresolve_threads: own\n' };
const DENIED = { message: 'Resource not accessible by integration' };

let scene: Scene;
let installation = 200;

beforeAll(async () => {
  scene = await Scene.open({ scripts: [script], granted: OPTIONAL_PERMISSIONS });
});
afterAll(() => scene.close());

const place = (name: string): Promise<ExtraRepository> =>
  ExtraRepository.open(scene, name, (installation += 1), FILES);

/** The App's permissions are these from the moment on at which the pull request is open. */
async function onceOpen(
  here: ExtraRepository,
  permissions: Record<string, 'read' | 'write'>,
): Promise<void> {
  const path = new RegExp(`/${here.repository.name}/pulls$`);
  const opened = scene.github.faults.hold({ method: 'POST', path });
  await opened.applied;
  scene.github.installations.grant(here.installation, permissions);
  opened.release();
}

const remarkOn = async (here: ExtraRepository) => {
  const line = { path: 'NOTES.md', line: 1, body: '@issuewright Longer, please.' };
  return scene.maintainer.remark(here.thread(await here.untilPull()), line);
};

describe('a permission that is taken away once the pull request is open', () => {
  it('leaves it a draft, says what to click, and says no more of that once someone did', async () => {
    const here = await place('no-ready');
    const opened = onceOpen(here, { ...GRANTED, contents: 'read' });
    const issue = here.ask('Write notes');
    await opened;
    await here.untilStatus(issue, /✅ Done: #2, still a draft/);
    const pull = await here.untilPull();
    expect(pull.pull.draft).toBe(true);
    const words =
      /do this on #2.*\n- Click \*\*Ready for review\*\*\. \(The App lacks the permission `contents: write`/;
    expect(here.status(issue)).toMatch(words);
    expect(here.comments(issue)).not.toMatch(/couldn't continue|❌/);
    scene.maintainer.setDraft(here.thread(pull), false);
    await here.untilStatus(issue, /Ready for review: #2/);
    expect(here.status(issue)).not.toContain('Please do this');
  });

  it('is no matter for the next round, once it is given again', async () => {
    const here = await place('ready-again');
    const opened = onceOpen(here, { ...GRANTED, contents: 'read' });
    const issue = here.ask('Write notes');
    await opened;
    await here.untilStatus(issue, /still a draft/);
    scene.github.installations.acceptPermissions(here.installation);
    await remarkOn(here);
    await here.untilStatus(issue, /Ready for review: #2/);
    expect((await here.untilPull()).pull.draft).toBe(false);
    expect(here.status(issue)).not.toContain('Please do this');
  });

  it('leaves a review thread open, and the work as it is', async () => {
    const here = await place('no-resolve');
    const issue = here.ask('Write notes');
    await here.untilStatus(issue, /Ready for review/);
    const path = new RegExp(`/${here.repository.name}/pulls/\\d+/comments/\\d+/replies$`);
    const replied = scene.github.faults.hold({ method: 'POST', path });
    const { threadId } = await remarkOn(here);
    await replied.applied;
    here.mark();
    scene.github.installations.grant(here.installation, { ...GRANTED, contents: 'read' });
    replied.release();
    await here.untilDenied(/contents: write/);
    await here.untilStatus(issue, /Ready for review/);
    expect(here.repository.reviewThreads.find(({ id }) => id === threadId)).toMatchObject({
      resolvedBy: undefined,
    });
  });
});

describe('GitHub', () => {
  it('that lets the App ask nobody for a review leaves that to people', async () => {
    const here = await place('no-reviewers');
    const path = new RegExp(`/${here.repository.name}/pulls/\\d+/requested_reviewers$`);
    scene.github.faults.failNext({ path, status: 403, body: DENIED });
    const issue = here.ask('Write notes');
    await here.untilStatus(issue, /Ready for review: #2/);
    expect(here.status(issue)).toMatch(
      /do this on #2.*\n- Request a review from `octo-maintainer`\./,
    );
  });

  it('that does not show the change to its reviewer leaves the review to people', async () => {
    const here = await place('no-compare');
    const path = new RegExp(`/${here.repository.name}/compare/`);
    scene.github.faults.failNext({ path, status: 403, body: DENIED, times: 99 });
    const issue = here.ask('Write notes');
    await here.untilStatus(issue, /Ready for review: #2/);
    const pull = await here.untilPull();
    await scene.until('the words', () => /\*\*Self-review\*\*: not done/.test(pull.body ?? ''));
  });

  it.each([
    ['update the body of the pull request', 'PATCH', String.raw`pulls/\d+$`],
    ['write the check run', 'POST', 'check-runs$'],
    ['react', 'POST', 'reactions$'],
    ['reply in a review thread', 'POST', String.raw`pulls/\d+/comments/\d+/replies$`],
  ])('that does not let the App %s makes no failure of the work', async (what, method, below) => {
    const here = await place(what.replaceAll(' ', '-'));
    const issue = here.ask('Write notes');
    await here.untilStatus(issue, /Ready for review/);
    here.mark();
    const path = new RegExp(`/${here.repository.name}/.*${below}`);
    const restore = scene.github.faults.failNext({
      method,
      path,
      status: 403,
      body: DENIED,
      times: 99,
    });
    await remarkOn(here);
    await here.untilLoggedOfSession(/run ended/);
    await here.untilLoggedOfSession(/publishing denied/);
    await here.untilStatus(issue, /Ready for review/);
    expect(here.comments(issue)).not.toMatch(/couldn't continue|❌/);
    restore();
  });
});
