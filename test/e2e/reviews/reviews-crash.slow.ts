// A round of review through kill -9: what was published before is not published again.
import { afterEach, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const FILES = { '.github/issuewright.yml': 'commits: { publish: push }\n' };
const PATHS = ['a.md', 'b.md', 'c.md'];

const writeAll = (content: string) =>
  PATHS.map((path) => call('write_file', { path, content: `${content}\n` }));

const SCRIPT: Script = {
  turns: [
    say(...writeAll('one'), call('finish', { summary: 'Write one' })),
    say(
      ...writeAll('two'),
      ...[1, 2, 3].map((thread) => call('reply', { to: `${thread}`, text: `Two in ${thread}.` })),
      call('finish', { summary: 'Write two' }),
    ),
  ],
};

let scene: Scene | undefined;
afterEach(() => scene?.close());

type Moment = (scene: Scene) => Promise<unknown>;

const MOMENTS: [string, Moment][] = [
  [
    'after the push, before the replies',
    ({ github }) => github.faults.hold({ method: 'POST', path: /git-receive-pack$/ }).applied,
  ],
  [
    'in the middle of the replies',
    async ({ github }) => {
      const first = github.faults.hold({ method: 'POST', path: /\/replies$/ });
      await first.applied;
      first.release();
      await github.faults.hold({ method: 'POST', path: /\/replies$/ }).applied;
    },
  ],
];

it.each(MOMENTS)(
  'a service that is killed %s replies once in each thread',
  async (_name, moment) => {
    const open = await Scene.open({ ownDatabase: true, scripts: [SCRIPT], files: FILES });
    scene = open;
    const issue = open.ask('Write', '');
    await open.untilStatus(issue, /ready for review/i);
    const pull = await open.until('the pull request', () => open.pulls()[0]);
    const crashed = moment(open);
    await open.maintainer.review(open.thread(pull), {
      event: 'REQUEST_CHANGES',
      body: 'Two, please.',
      comments: PATHS.map((path) => ({ path, line: 1, body: 'Two?' })),
    });
    await crashed;
    await open.kill();
    await open.start();
    const replies = () =>
      open.repository.reviewComments.filter(({ author }) => author.type === 'Bot');
    await open.until('three replies', () => replies().length >= 3);
    await open.untilStatus(issue, /ready for review/i);
    await open.stop();
    const said = replies().map(({ body }) => body.split('\n')[2] ?? '');
    expect(said.toSorted()).toEqual(['Two in 1.', 'Two in 2.', 'Two in 3.']);
    const log = await open.git('log', '--format=%s', 'main..issuewright/issue-1');
    expect(log.split('\n')).toEqual(['Write two', 'Write one']);
  },
  300_000,
);
