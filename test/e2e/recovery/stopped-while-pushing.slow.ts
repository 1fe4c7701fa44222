// A person stops the work while what it made is on its way to GitHub: the journal knows all that is there.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Hold } from '../../../packages/local-github/src/github/faults.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { SessionWatch } from '../../shuffled-events/session-watch.ts';
import {
  branchOf,
  cleanMerge,
  commit,
  CONFLICTS,
  inConflict,
  lines,
  LINES,
  opened,
  pushTo,
  writeA,
} from '../merging/merging.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = call('write_file', { path: 'HALF.md', content: 'Half of it' });
const finish = call('finish', { summary: 'It does.', outcome: 'done' });

const COMMIT = [say(write, call('commit', { message: 'Half of it' })), say(finish)];
const OTHER = call('write_file', { path: 'OTHER.md', content: 'The other half' });
const SOME = call('commit', { message: 'Half of it', files: ['HALF.md'] });
const SCRIPTS: Script[] = [
  { match: 'Lose some', turns: [say(write, OTHER, SOME), say(finish)] },
  cleanMerge,
  inConflict({ ...writeA(lines([3, 'both'])), when: CONFLICTS }, commit('Merge the base branch')),
  { match: 'Stop the commit', turns: COMMIT },
  { match: 'Lose the commit', turns: COMMIT },
  { match: 'Hang at the commit', turns: COMMIT },
  { match: 'Stop the end', turns: [say(write, finish)] },
];
const DURING = /\/git-receive-pack$|\/git\/refs$/;
const WHILE_MOVING = /\/git-receive-pack$|\/git\/refs\//;

describe.each(['push', 'auto'])('the work is stopped while it is published (%s)', (publish) => {
  let scene: Scene;
  let watch: SessionWatch;
  beforeAll(async () => {
    const settings = `commits: { publish: ${publish} }\nself_review: false\n`;
    scene = await Scene.open({
      scripts: SCRIPTS,
      files: { ...LINES, '.github/issuewright.yml': settings },
    });
    watch = await SessionWatch.open(scene.databaseUrl, PATIENCE_MS);
  });
  afterAll(async () => {
    await watch.close();
    await scene.close();
  });

  it.each([
    ['during the commit', 'Stop the commit', DURING],
    ['after the commit', 'Stop the end', /\/pulls$/],
  ])('%s: it is in the journal', async (_when, title, path) => {
    const held = scene.github.faults.hold({ method: 'POST', path });
    const issue = scene.ask(title, '');
    await held.applied;
    const words = scene.maintainer.comment(scene.thread(issue), '/issuewright stop');
    await scene.until('the stop is heard', () => words.reactions.length > 0);
    held.release();
    await scene.untilStatus(issue, /stopped/i);
    await expectKnown(issue);
  });

  it('and the service dies before it knows that: it is in the journal', async () => {
    const held = scene.github.faults.hold({ method: 'POST', path: DURING });
    const issue = scene.ask('Lose the commit', '');
    await diesAt(held, issue);
    expect(await expectKnown(issue)).toEqual(['Half of it']);
  });

  it('and the service dies after a commit of some files: it is in the journal, and so is the rest', async () => {
    const held = scene.github.faults.hold({ method: 'POST', path: DURING });
    const issue = scene.ask('Lose some', '');
    await diesAt(held, issue);
    expect(await expectKnown(issue)).toEqual(['Half of it', 'Save unfinished work']);
    const saved = await scene.git('show', '--format=', '--name-only', branchOf(issue));
    expect(saved).toBe('OTHER.md');
  });

  it.each([
    ['clean', 'Clean merge', { 'b.txt': lines([1, 'theirs']) }],
    ['with conflicts', 'In conflict', { 'a.txt': lines([3, 'theirs']) }],
  ])(
    'and the service dies after a merge, %s: it is in the journal',
    async (_how, title, moved) => {
      const { issue } = await opened(scene, title);
      const before = await expectKnown(issue);
      await pushTo(scene, 'main', moved);
      const method = publish === 'push' ? 'POST' : 'PATCH';
      const held = scene.github.faults.hold({ method, path: WHILE_MOVING });
      scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
      await diesAt(held, issue);
      const merge = expect.stringMatching(/^Merge /);
      expect(await expectKnown(issue)).toEqual([...before, merge]);
    },
    300_000,
  );

  it('and GitHub does not answer: the work stops all the same, and it is in the journal', async () => {
    const held = scene.github.faults.hold({ method: 'POST', path: DURING });
    const issue = scene.ask('Hang at the commit', '');
    await held.applied;
    scene.maintainer.comment(scene.thread(issue), '/issuewright stop');
    await scene.untilStatus(issue, /stopped/i);
    expect(await expectKnown(issue)).toEqual(['Half of it']);
    held.drop();
  });

  /** The request is applied, and its answer lost. The work is stopped before the next start. */
  async function diesAt(held: Hold, issue: Issue): Promise<void> {
    await held.applied;
    await scene.kill();
    held.drop();
    scene.maintainer.comment(scene.thread(issue), '/issuewright stop');
    await scene.start();
    await scene.untilStatus(issue, /stopped/i);
  }

  /** That the journal has what GitHub has. Answers the first lines of the commits. */
  async function expectKnown(issue: Issue): Promise<readonly string[]> {
    await watch.untilAtRest(scene.repository.id);
    const [session] = await watch.sessions(scene.repository.id, issue.number);
    const effects = (await watch.journal(session!.id)).flatMap((entry) =>
      'effects' in entry ? entry.effects : [],
    );
    const commits = effects.filter((effect) => effect.type === 'commit');
    const branch = branchOf(issue);
    const there = await scene.git('rev-list', '--reverse', `main..${branch}`);
    expect(commits.map(({ sha }) => sha)).toEqual(there.split('\n'));
    const pulls = effects.flatMap((effect) => (effect.type === 'pull_request' ? [effect] : []));
    expect(pulls).toHaveLength(scene.pulls().filter(({ pull }) => pull.head === branch).length);
    return commits.map(({ message }) => message.split('\n', 1)[0] ?? '');
  }
});
