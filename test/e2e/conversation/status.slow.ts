// What people see of the work on GitHub while it continues, and how often it is updated.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import type {
  Comment,
  Issue,
  Repository,
} from '../../../packages/local-github/src/github/state.ts';
import { ExtraRepository } from '../extra-repository.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const list = (path: string) => say(call('list_directory', { path }));
const write = (path: string) => say(call('write_file', { path, content: 'New.\n' }));
const finish = (outcome: string) => say(call('finish', { summary: 'As it is.', outcome }));
const later = (turn: ReturnType<typeof say>, delay_ms: number) => ({ ...turn, delay_ms });

const PLAN = [
  { id: '1', title: 'Read the code', done: true },
  { id: '2', title: 'Write a note', done: false },
];

const SCRIPTS: Script[] = [
  {
    match: 'Show it',
    turns: [
      say(call('update_plan', { items: PLAN })),
      list('src'),
      list('..'),
      { ...write('NOTES.md'), when: 'Mind the tabs' },
      finish('done'),
    ],
  },
  { match: 'Too much', turns: [finish('cannot')] },
  { match: 'Never ends', turns: [write('HALF.md'), later(finish('done'), 600_000)] },
  { match: 'Limited', turns: [list('..'), later(list('src'), 300), finish('nothing_to_do')] },
  {
    match: 'One of many',
    turns: [
      ...['..', 'src', '..', 'src'].map((at) => later(list(at), 450)),
      finish('nothing_to_do'),
    ],
  },
];

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The most writes in any minute. */
const mostInMinute = (times: readonly number[]): number =>
  Math.max(
    ...times.map((start) => times.filter((at) => at >= start && at < start + MINUTE).length),
  );

describe('while it works', () => {
  let scene: Scene;
  beforeAll(async () => {
    const environment = { CONTENT_LIMITS: 'github' };
    scene = await Scene.open({ scripts: SCRIPTS, environment, patienceMs: 2 * MINUTE });
  });
  afterAll(() => scene.close());

  const reactionsOn = (on: Comment | Issue) => on.reactions.map(({ content }) => content);
  const untilReaction = (on: Comment | Issue, content: string) =>
    scene.until(content, () => reactionsOn(on).some((one) => one === content));
  const statusOf = (issue: Issue): Comment | undefined =>
    scene.comments(issue).find(({ body }) => body.includes(':status -->'));
  const asked = (): number => scene.agentRequests.length;

  /** What the App's installations wrote, but for git. */
  const writes = (from = 0) =>
    scene.github.requests.slice(from).filter(({ method, actor, path }) => {
      const isApi = path.startsWith('/api/') && !path.endsWith('/access_tokens');
      // Rendering writes nothing, nor does a query: no session here submits anything.
      const writes = method !== 'GET' && !/\/(?:markdown|graphql)$/.test(path);
      return writes && actor === 'issuewright[bot]' && isApi;
    });

  it('👀 comes at once, and one comment shows all that there is to know', async () => {
    const from = scene.github.requests.length;
    const replies = scene.holdReplies('Show it', 2);
    const issue = scene.ask('Show it', '');
    const isShown = ({ body }: Comment): boolean => /^\*\*🔧 Working\*\* · .*src/.test(body);
    const { body } = await scene.until('the work to be shown', () => {
      const comment = statusOf(issue);
      return comment !== undefined && isShown(comment) ? { ...comment } : undefined;
    });
    expect(writes(from).slice(0, 2)).toMatchObject([
      { method: 'POST', path: expect.stringMatching(/\/reactions$/) },
      { method: 'POST', path: expect.stringMatching(/\/comments$/) },
    ]);
    expect(reactionsOn(issue)).toEqual(['eyes']);
    expect(body).toContain('- [x] Read the code\n- [ ] Write a note');
    for (const fact of [
      /`openai:scripted` · 2 replies · price unknown · /,
      /Code, comments and output go to the model server \(127\.0\.0\.1:\d+\)/,
      / · \d+(\.\d)? s of work · Updated \d\d:\d\d UTC · /,
      /To stop: `\/issuewright stop`/,
    ])
      expect(body).toMatch(fact);
    const page = /\[Session page\]\((\S+)\)/.exec(body)?.[1] ?? '';
    expect(page).toContain(`${scene.stage.pagesUrl}/sessions/`);
    expect(page).not.toContain('token');
    expect((await fetch(page)).status).toBe(401);
    expect(await scene.stage.readPage(new URL(page).pathname)).toContain('Read the code');

    const comment = scene.maintainer.comment(scene.thread(issue), 'Mind the tabs.');
    await untilReaction(comment, 'eyes');
    replies.release();
    const end = await scene.untilStatus(issue, /ready for review/i);
    expect(end.body).not.toContain('Updated');
    await untilReaction(issue, 'rocket');
    expect(reactionsOn(issue)).toEqual(['eyes', 'rocket']);
    expect(reactionsOn(comment)).toEqual(['eyes']);
    expect(scene.comments(issue)).toHaveLength(1);
  });

  it('what cannot be done ends with 😕 and a second comment, as a person has to act', async () => {
    const issue = scene.ask('Too much', '');
    await scene.untilStatus(issue, /could not be done/i);
    await untilReaction(issue, 'confused');
    await scene.until('the outcome', () => scene.comments(issue).length === 2);
    expect(scene.comments(issue)[1]?.body).toContain('As it is.');
  });

  it('a closed issue stops the work, which is kept on the branch that the status names', async () => {
    const before = asked();
    const issue = scene.ask('Never ends', '');
    await scene.untilAgentAsked(before + 2);
    await scene.maintainer.close(scene.thread(issue));
    const branch = `issuewright/issue-${issue.number}`;
    const place = `${scene.github.url}/${scene.repository.fullName}/tree/${branch}`;
    const kept = `1 commit on the branch [\`${branch}\`](${place}).`;
    await scene.until('the branch to be named', () => statusOf(issue)?.body.includes(kept));
    expect(statusOf(issue)?.body).toContain('The issue was closed.');
    expect(await scene.git('show', `${branch}:HALF.md`)).toBe('New.');
    expect(scene.comments(issue)).toHaveLength(1);
    expect(asked()).toBe(before + 2);
  });

  it('GitHub’s wish to wait is kept by all of the installation, and then all is as it should be', async () => {
    // What the others wrote just before would leave no room for the 🚀 of these.
    const limited = await ExtraRepository.open(scene, 'limited', 3);
    scene.github.faults.failNext({
      method: 'PATCH',
      path: /\/limited\/issues\/comments\/\d+$/,
      status: 403,
      body: { message: 'You have exceeded a secondary rate limit.' },
      headers: { 'retry-after': '6' },
    });
    const from = scene.github.requests.length;
    const issues = [limited.ask('Limited'), limited.ask('Limited')];
    const isOver = (issue: Issue) => /^\*\*✅ Nothing to change/m.test(limited.comments(issue));
    await scene.until('the end of both', () => issues.every(isOver));
    const answered =
      scene.github.requests.slice(from).find(({ status }) => status === 403)?.at ?? 0;
    // What was on its way when GitHub answered is let through, and a slow machine notes late that it has answered.
    const [begin, end] = [answered + 3 * SECOND, answered + 5.5 * SECOND];
    const meanwhile = writes(from).filter(({ at }) => at > begin && at < end);
    expect(meanwhile).toEqual([]);
    for (const issue of issues) await untilReaction(issue, 'rocket');
  });

  it('a crowd of sessions stays within GitHub’s limit, and each of them ends as it should', async () => {
    const other: Repository = await scene.github.createRepository({
      owner: SAMPLE.owner,
      name: 'busy',
      files: SAMPLE.files,
      collaborators: { [SAMPLE.maintainer]: 'admin' },
      installationId: 2,
    });
    const from = scene.github.requests.length;
    const issues = Array.from({ length: 18 }, (_, at) => {
      const issue = { title: `One of many: ${at}`, body: '', labels: [SAMPLE.label] };
      return scene.maintainer.openIssue(other, issue);
    });
    const shown = (issue: Issue): string[] =>
      other.comments
        .filter(({ issueNumber, author }) => issueNumber === issue.number && author.type === 'Bot')
        .map(({ body }) => body);
    const isOver = (issue: Issue): boolean =>
      shown(issue)[0]?.startsWith('**✅ Nothing to change**') === true && shown(issue).length === 2;
    await scene.github.waitFor(() => issues.every(isOver), {
      what: () => `the end of all\n${scene.stage.log()}`,
      timeoutMs: 4 * MINUTE,
    });
    for (const issue of issues) {
      expect(shown(issue)).toEqual([expect.anything(), expect.stringContaining('As it is.')]);
      // What says no more than the status is left out if there is no room.
      expect(['eyes', 'rocket']).toEqual(expect.arrayContaining(reactionsOn(issue)));
    }
    const times = writes(from).map(({ at }) => at);
    expect(times.length).toBeGreaterThanOrEqual(58);
    expect(mostInMinute(times)).toBeLessThanOrEqual(80);
  });
});
