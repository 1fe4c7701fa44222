// What people do while the service is down, through the shipped service: it is read from GitHub's list of deliveries.
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import type { Issue, PullRequest } from '../../../packages/local-github/src/github/state.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const FINISH = call('finish', { summary: 'It does.', outcome: 'nothing_to_do' });
const ASK = call('ask_question', { questions: [{ question: 'Which?', default: 'The first.' }] });

const WRITE = (path: string, content: string) => call('write_file', { path, content });
const READY = call('finish', { summary: 'It is written.' });

const SCRIPTS: Script[] = [
  {
    match: 'Rework',
    turns: [say(WRITE('a.md', 'one\n'), READY), say(WRITE('a.md', 'two\n'), READY)],
  },
  { match: 'Merge', turns: [say(WRITE('b.md', 'three\n'), READY)] },
  { match: 'Greet', turns: [say(FINISH)] },
  { match: 'Choose', turns: [say(ASK), { ...say(FINISH), when: 'The green one' }] },
  { match: 'Wait', turns: [say(ASK), { ...say(FINISH), when: 'The red one' }] },
];

let scene: Scene | undefined;
afterEach(() => scene?.close());

async function open(): Promise<Scene> {
  scene = await Scene.open({ ownDatabase: true, scripts: SCRIPTS });
  return scene;
}

/** What people did. A kill may also hit the delivery of what the App wrote just before. */
const missedBy = ({ github }: Scene) =>
  github.deliveries.filter(({ status, payload }) => status === 0 && !isOfApp(payload));

const isOfApp = ({ sender }: { readonly sender?: { readonly type?: string } }): boolean =>
  sender?.type === 'Bot';

/** GitHub lists this many deliveries as failed. */
const untilMissed = (from: Scene, times: number) =>
  from.until(`${times} missed deliveries`, () => missedBy(from).length === times);

/** The App has commented on the end of this many runs. */
const untilEnded = (from: Scene, runs: number) =>
  from.until(`${runs} outcomes`, () => {
    const outcomes = from.repository.comments.filter(({ body }) => /:outcome:/.test(body));
    expect(outcomes.length).toBeLessThanOrEqual(runs);
    return outcomes.length === runs;
  });

async function pullOf(from: Scene, issue: Issue): Promise<PullRequest> {
  await from.untilStatus(issue, /ready for review/i);
  const head = `issuewright/issue-${issue.number}`;
  return from.until('the pull request', () =>
    from.pulls().find(({ pull }) => pull.head === head && !pull.draft),
  );
}

describe('while the service is down', () => {
  it('people label, answer and stop: all of it counts after the start, once, in their order', async () => {
    const here = await open();
    const choose = here.ask('Choose', '');
    const wait = here.ask('Wait', '');
    for (const issue of [choose, wait]) await here.untilStatus(issue, /Waiting for \S+ answer/);
    await here.kill();

    const greet = here.ask('Greet', '');
    here.maintainer.comment(here.thread(choose), 'The green one, please.');
    here.maintainer.comment(here.thread(wait), '/issuewright stop');
    here.maintainer.comment(here.thread(wait), 'The red one, then.');
    await untilMissed(here, 5);
    await here.start();
    // The next look comes five minutes after the first: nothing here waits that long.
    await here.untilStatus(greet, /nothing to change/i);
    await here.untilStatus(choose, /nothing to change/i);
    await here.untilStatus(wait, /stopped/i);

    const asked = here.stage.model.requests.length;
    await untilEnded(here, 2);
    const comments = () => here.repository.comments.map(({ id, body }) => [id, body]);
    const before = comments();
    // That an issue was opened says nothing to the App.
    const received = missedBy(here).filter(({ action }) => action !== 'opened');
    expect(received).toHaveLength(4);
    for (const { guid } of received) {
      const from = here.service.lines;
      await here.github.redeliver(guid);
      const line = await here.service.untilLogged(new RegExp(`${guid}.*"delivery received"`), {
        from,
      });
      expect(line).toContain('"outcome":"duplicate"');
    }
    expect(here.stage.model.requests).toHaveLength(asked);
    expect(comments()).toEqual(before);
  });

  it.each([
    ['up', true],
    ['down', false],
  ])(
    'is suspended while the service is %s: GitHub sends nothing, and it counts afterwards',
    async (_name, isUp) => {
      const here = await open();
      const { installations } = here.github;
      const choose = here.ask('Choose', '');
      await here.untilStatus(choose, /Waiting for \S+ answer/);
      if (!isUp) await here.kill();
      installations.suspend(1);
      const greet = here.ask('Greet', '');
      here.maintainer.comment(here.thread(choose), 'The green one, please.');
      installations.unsuspend(1);
      if (!isUp) await here.start();
      for (const issue of [greet, choose]) await here.untilStatus(issue, /nothing to change/i);
      await untilEnded(here, 2);
    },
    300_000,
  );

  it.each([
    ['is down', false],
    ['is down and suspended', true],
  ])(
    'a pull request is reviewed, and another merged, while the App %s',
    async (_name, isSuspended) => {
      const here = await open();
      const [rework, merge] = [here.ask('Rework', ''), here.ask('Merge', '')];
      const [reworked, merged] = [await pullOf(here, rework), await pullOf(here, merge)];
      await here.kill();
      if (isSuspended) here.github.installations.suspend(1);
      const words = { event: 'REQUEST_CHANGES', body: 'Write two.' } as const;
      await here.maintainer.review(here.thread(reworked), words);
      await here.maintainer.merge(here.thread(merged));
      if (isSuspended) here.github.installations.unsuspend(1);
      await here.github.webhooksSent();
      await here.start();
      await here.untilStatus(merge, /Merged/);
      await here.until('the second commit', async () => {
        const log = await here.git('log', '--format=%s', `main..${reworked.pull.head}`);
        return log.split('\n').length >= 2;
      });
      await here.untilStatus(rework, /ready for review/i);
    },
    300_000,
  );

  it('people change their minds: a redelivered stop undoes no newer answer, and a deleted answer is not read', async () => {
    const here = await open();
    const choose = here.ask('Choose', '');
    const wait = here.ask('Wait', '');
    for (const issue of [choose, wait]) await here.untilStatus(issue, /Waiting for \S+ answer/);
    await here.kill();

    here.maintainer.comment(here.thread(choose), '/issuewright stop');
    const wrong = here.maintainer.comment(here.thread(wait), 'The blue one.');
    here.maintainer.deleteComment(here.repository, wrong.id);
    await untilMissed(here, 3);
    // Nothing comes from GitHub's list before the newer comments have come by themselves.
    const list = { method: 'GET', path: /\/app\/hook\/deliveries$/ };
    here.github.faults.failNext({ ...list, status: 502, times: 10 });
    await here.start();
    here.maintainer.comment(here.thread(choose), 'The green one, please.');
    await here.untilStatus(choose, /nothing to change/i);
    const [stop] = missedBy(here);
    if (stop !== undefined) await here.github.redeliver(stop.guid);
    await here.github.webhooksSent();
    here.maintainer.comment(here.thread(wait), 'The red one, then.');
    await here.untilStatus(wait, /nothing to change/i);
    await here.untilStatus(choose, /nothing to change/i);
    expect(here.agentRequests.some(({ body }) => body.includes('The blue one'))).toBe(false);
  }, 300_000);

  it.each([
    ['pause', 'resume'],
    ['stop', 'retry'],
  ])(
    'people say %s, then %s: the first, which comes last, holds nothing up',
    async (first, second) => {
      const here = await open();
      const wait = here.ask('Wait', '');
      await here.untilStatus(wait, /Waiting for \S+ answer/);
      await here.kill();
      here.maintainer.comment(here.thread(wait), `/issuewright ${first}`);
      here.maintainer.comment(here.thread(wait), `/issuewright ${second}`);
      await untilMissed(here, 2);
      const list = { method: 'GET', path: /\/app\/hook\/deliveries$/ };
      here.github.faults.failNext({ ...list, status: 502, times: 10 });
      await here.start();
      const [late, newer] = missedBy(here);
      const from = here.service.lines;
      for (const one of [newer, late]) {
        await here.github.redeliver(one?.guid ?? '');
        await here.service.untilLogged(new RegExp(`${one?.guid}.*"delivery received"`), { from });
      }
      here.maintainer.comment(here.thread(wait), 'The red one, then.');
      await here.untilStatus(wait, /nothing to change/i);
    },
    300_000,
  );

  it.each([
    ['although its first words come last', ['edited', 'created']],
    ['although the edit never becomes known', ['created']],
  ])(
    'an answer is edited: what it says now counts, %s',
    async (_name, actions) => {
      const here = await open();
      const wait = here.ask('Wait', '');
      await here.untilStatus(wait, /Waiting for \S+ answer/);
      await here.kill();
      const { id } = here.maintainer.comment(here.thread(wait), 'The blue one.');
      here.maintainer.editComment(here.repository, id, 'The red one, then.');
      await untilMissed(here, 2);
      const list = { method: 'GET', path: /\/app\/hook\/deliveries$/ };
      here.github.faults.failNext({ ...list, status: 502, times: 10 });
      await here.start();
      for (const action of actions) {
        const delivery = missedBy(here).find((one) => one.action === action);
        if (delivery !== undefined) await here.github.redeliver(delivery.guid);
      }
      await here.untilStatus(wait, /nothing to change/i);
      expect(here.agentRequests.some(({ body }) => body.includes('The blue one'))).toBe(false);
    },
    300_000,
  );

  it('a pull request is closed and opened again: a closing that comes last closes nothing, and leads to no second one', async () => {
    const here = await open();
    const rework = here.ask('Rework', '');
    const pull = await pullOf(here, rework);
    await here.kill();
    await here.maintainer.close(here.thread(pull));
    await here.maintainer.reopen(here.thread(pull));
    const missed = (action: string) =>
      here.until(action, () =>
        missedBy(here).find((one) => one.event === 'pull_request' && one.action === action),
      );
    const [closed, reopened] = [await missed('closed'), await missed('reopened')];
    const list = { method: 'GET', path: /\/app\/hook\/deliveries$/ };
    here.github.faults.failNext({ ...list, status: 502, times: 10 });
    await here.start();
    for (const { guid } of [reopened, closed]) await here.github.redeliver(guid);
    await here.github.webhooksSent();
    const words = { event: 'REQUEST_CHANGES', body: 'Write two.' } as const;
    await here.maintainer.review(here.thread(pull), words);
    await here.until('the second commit', async () => {
      const log = await here.git('log', '--format=%s', `main..${pull.pull.head}`);
      return log.split('\n').length >= 2;
    });
    await here.untilStatus(rework, /ready for review/i);
    expect(here.pulls()).toHaveLength(1);
  }, 300_000);

  it.each([
    ['read what was missed', 'GET', /\/hook\/deliveries\/\d+$/],
    ['said that it begins', 'POST', /\/issues\/\d+\/(?:comments|reactions)$/],
  ])(
    'is killed again when it has %s: everything counts, once',
    async (_name, method, path) => {
      const here = await open();
      await here.kill();
      const issues = [here.ask('Greet', 'one'), here.ask('Greet', 'two')];
      await untilMissed(here, 4);
      const hold = here.github.faults.hold({ method, path });
      const starting = here.start().catch(() => {});
      await hold.applied;
      await here.stage.kill();
      await starting;
      hold.release();
      await here.start();
      for (const issue of issues) await here.untilStatus(issue, /nothing to change/i);
      await untilEnded(here, 2);
      expect(here.stage.model.requests.length).toBeLessThanOrEqual(4);
    },
    300_000,
  );
});

/** The process believes that it was down for longer than a question waits. */
const LATER = { NODE_OPTIONS: `--import=${path.resolve('test/support/jest/later-clock.js')}` };

describe('while the process that receives is down', () => {
  it.each([
    ['answers', 0, /Issuewright is ready/],
    ['answers only after the work has begun', 4, /failed to look for missed events/],
  ])(
    'an answer counts before its deadline if GitHub %s, although only workers are there',
    async (_name, failures, said) => {
      const files = { ...SAMPLE.files, '.github/issuewright.yml': 'question_timeout: 1m\n' };
      scene = await Scene.open({ role: 'serve', scripts: SCRIPTS, files });
      const here = scene;
      const worker = await here.stage.startService({}, 'work');
      const choose = here.ask('Choose', '');
      await here.untilStatus(choose, /Waiting for \S+ answer/);
      await here.kill();
      await worker.kill();
      here.maintainer.comment(here.thread(choose), 'The green one, please.');
      await untilMissed(here, 1);
      if (failures > 0) {
        const list = /\/app\/hook\/deliveries$/;
        here.github.faults.failNext({ method: 'GET', path: list, status: 502, times: failures });
      }
      const later = await here.stage.startService(LATER, 'work');
      await later.untilLogged(/"run ended"/);
      expect(later.log).toMatch(said);
      await here.start('serve');
      await here.untilStatus(choose, /nothing to change/i);
      expect(here.agentRequests.some(({ body }) => body.includes('No one answered'))).toBe(false);
    },
    300_000,
  );
});
