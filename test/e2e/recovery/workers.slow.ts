// Several processes on one database: one serves, others work.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { ServiceProcess } from '../../../packages/local-github/src/service-process.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { Scene } from '../scene.ts';

const SECONDS = 1_000;

const call = (tool_name: string, args: Record<string, unknown>) => ({
  say: { plan: 'as scripted', tool_calls: [{ tool_name, arguments: args }] },
});
const READ = call('read_file', { path: 'README.md' });
const FINISH = call('finish', { summary: 'It does.', outcome: 'nothing_to_do' });

const twoTurns = (match: string): Script => ({
  match,
  turns: [READ, FINISH],
});
const SCRIPTS = [
  twoTurns('Nobody works yet'),
  twoTurns('Stop it'),
  twoTurns('Pull the plug'),
  twoTurns('Replace it'),
  twoTurns('Freeze it'),
  twoTurns('Pause them'),
  SAMPLE.script,
];

describe('one process that serves and two that work', () => {
  let scene: Scene;
  const workers: ServiceProcess[] = [];
  beforeAll(async () => {
    scene = await Scene.open({ role: 'serve', scripts: SCRIPTS, patienceMs: 90 * SECONDS });
  });
  afterAll(() => scene.closeReplayed());

  const startWorker = async () => void workers.push(await scene.stage.startService({}, 'work'));
  const requests = () => scene.agentRequests.length;

  const lineOf = ({ number }: Issue) => new RegExp(`"issue":${number},.*"run (started|resumed)"`);
  /** The process that works on the issue, which is none of `others`. */
  const workerOn = (issue: Issue, others: readonly ServiceProcess[] = []) =>
    scene.until('a worker', () =>
      workers.find((worker) => !others.includes(worker) && lineOf(issue).test(worker.log)),
    );

  const statusesOf = (issue: Issue) =>
    scene.comments(issue).filter(({ body }) => body.includes(':status -->'));

  const pageOf = async (issue: Issue): Promise<string> => {
    const status = await scene.untilStatus(issue, /./);
    const [, page = ''] = /(\/sessions\/[a-z0-9]{12})/.exec(status.body) ?? [];
    return scene.stage.readPage(page);
  };

  it('keep a session queued while nobody works, and say its place; it starts with the first worker', async () => {
    const replies = scene.holdReplies('Nobody works yet', 1);
    const issue = scene.ask('Nobody works yet', '');
    await scene.untilStatus(issue, /Queued.*Place in the queue: 1\./);
    expect(requests()).toBe(0);
    await startWorker();
    await startWorker();
    await scene.untilStatus(issue, /Working/);
    await scene.until('its page is live', async () => /Working/.test(await pageOf(issue)));
    replies.release();
    await scene.untilStatus(issue, /nothing to change/i);
  });

  it('play the whole story, with a question and a review', async () => {
    const { issue } = await scene.play();
    expect(scene.pulls()).toHaveLength(1);
    expect(scene.comments(issue)).toHaveLength(2);
  });

  it('hear at once of a stop, whichever process runs the session', async () => {
    const before = requests();
    const replies = scene.holdReplies('Stop it', 1);
    const issue = scene.ask('Stop it', '');
    await scene.untilAgentAsked(before + 2);
    scene.maintainer.comment(scene.thread(issue), '/issuewright stop');
    await scene.untilStatus(issue, /stopped/i);
    const worker = await workerOn(issue);
    await worker.untilLogged(new RegExp(`"issue":${issue.number},.*"stopped".*"run ended"`));
    replies.release();
    expect(requests()).toBe(before + 2);
  });

  it('hand over on SIGTERM: the reply that is under way is kept, and no turn is paid for twice', async () => {
    const before = requests();
    const replies = scene.holdReplies('Replace it', 1);
    const issue = scene.ask('Replace it', '');
    await scene.untilAgentAsked(before + 2);
    const first = await workerOn(issue);
    const stopping = first.stop('SIGTERM');
    await first.untilLogged(/"stopping: /);
    replies.release();
    expect(await stopping).toBe(0);
    await workerOn(issue, [first]);
    await scene.untilStatus(issue, /nothing to change/i);
    expect(requests()).toBe(before + 2);
  });

  it('all keep a pause that GitHub asks one of them for, although they pace nothing', async () => {
    const isOfApp = (one: { readonly path: string; readonly actor?: string | undefined }) =>
      one.actor === 'issuewright[bot]' && one.path.startsWith('/api/');
    scene.github.faults.failNext({
      method: 'PATCH',
      path: /\/issues\/comments\/\d+$/,
      status: 403,
      body: { message: 'You have exceeded a secondary rate limit.' },
      headers: { 'retry-after': '6' },
    });
    const from = scene.github.requests.length;
    const first = scene.ask('Pause them', 'first');
    const limited = await scene.until('the answer of GitHub', () =>
      scene.github.requests.slice(from).find(({ status }) => status === 403),
    );
    // What was on its way when GitHub answered is let through, and a slow machine notes late that it has answered.
    const [begin, end] = [limited.at + 3 * SECONDS, limited.at + 5.5 * SECONDS];
    await pause(begin - Date.now());
    const second = scene.ask('Pause them', 'second');
    for (const issue of [first, second]) await scene.untilStatus(issue, /nothing to change/i);
    const meanwhile = scene.github.requests.filter(({ at }) => at > begin && at < end);
    expect(meanwhile.filter(isOfApp)).toEqual([]);
  });

  it('take over soon what a killed one was working on', async () => {
    await startWorker();
    const before = requests();
    const replies = scene.holdReplies('Pull the plug', 1);
    const issue = scene.ask('Pull the plug', '');
    await scene.untilAgentAsked(before + 2);
    const first = await workerOn(issue);
    await first.kill();
    replies.release();
    await workerOn(issue, [first]);
    await scene.untilStatus(issue, /nothing to change/i);
    expect(requests()).toBe(before + 3);
    expect(statusesOf(issue)).toHaveLength(1);
  });

  it('fence one that was frozen: it writes nothing when it awakes', async () => {
    await startWorker();
    const before = requests();
    const replies = scene.holdReplies('Freeze it', 1);
    const issue = scene.ask('Freeze it', '');
    await scene.untilAgentAsked(before + 2);
    const frozen = await workerOn(issue);
    process.kill(frozen.pid!, 'SIGSTOP');
    replies.release();
    try {
      await workerOn(issue, [frozen]);
      await scene.untilStatus(issue, /nothing to change/i);
    } finally {
      process.kill(frozen.pid!, 'SIGCONT');
    }
    await frozen.untilLogged(/taken over by another process|"outcome":"(interrupted|claim_lost)"/);
    expect(requests()).toBe(before + 3);
    expect(statusesOf(issue)).toHaveLength(1);
    expect(frozen.log).not.toMatch(new RegExp(`"issue":${issue.number},.*"run ended"`));
  });
});

describe('a process whose sessions may take longer to stop', () => {
  let scene: Scene;
  afterAll(() => scene.close());

  it('keeps a reply that takes longer than a stop usually waits, and pays for it once', async () => {
    const turns = [READ, { ...FINISH, delay_ms: 21 * SECONDS }];
    scene = await Scene.open({
      scripts: [{ match: 'Take your time', turns }],
      environment: { STOP_GRACE_SECONDS: '40' },
    });
    const issue = scene.ask('Take your time', '');
    await scene.untilAgentAsked(2);
    expect(await scene.service.stop('SIGTERM')).toBe(0);
    await scene.start();
    await scene.untilStatus(issue, /nothing to change/i);
    expect(scene.agentRequests).toHaveLength(2);
  });
});
