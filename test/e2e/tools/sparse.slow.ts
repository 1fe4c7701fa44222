import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import {
  branchOf,
  commit,
  CONFLICTS,
  finish,
  inConflict,
  lines,
  LINES,
  opened,
  parentsOf,
  pushTo,
  untilMerged,
  writeA,
} from '../merging/merging.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const WORDS = 'large words\n';
const SCRIPT: Script = {
  turns: [
    say(
      call('list_directory', { path: '.' }),
      call('read_file', { path: 'web/words.txt' }),
      call('grep_search', { pattern: 'words' }),
      call('write_file', { path: 'web/words.txt', content: 'mine\n' }),
    ),
    say(call('write_file', { path: 'services/billing/main.txt', content: 'changed\n' })),
    say(call('commit', { message: 'Change billing' })),
    // The service is killed in this one, and resumes with a new workspace.
    say(call('create_pull_request', { title: 'Change billing', body: 'Fixes #1' })),
    say(call('submit_for_review')),
    say(call('finish', { summary: 'Billing is changed.' })),
  ],
};

describe.each(['push', 'verified'])('a repository of which a session has a part, %s', (publish) => {
  let scene: Scene;
  let issue: Issue;

  beforeAll(async () => {
    scene = await Scene.open({
      ownDatabase: true,
      scripts: [SCRIPT],
      files: {
        'README.md': '# Large\n',
        'services/billing/main.txt': 'billing\n',
        'services/search/main.txt': 'search\n',
        'web/words.txt': WORDS,
        '.github/issuewright.yml': `sparse: [services/billing]\ncommits: {publish: ${publish}}\n`,
      },
    });
    const { applied } = scene.github.faults.hold({ method: 'POST', path: /\/pulls$/ });
    issue = scene.ask('Billing', 'Please change it.');
    await applied;
    await scene.kill();
    await scene.start();
    await scene.untilStatus(issue, /ready for review/i);
  });
  afterAll(() => scene.close());

  const told = (): string => {
    const { messages } = JSON.parse(String(scene.agentRequests.at(-1)?.body));
    return messages.map(({ content }: { content: string }) => content).join('\n\n');
  };

  it('tells the model what it does not have', () => {
    expect(told()).toMatch(/only a part of this large repository.*`services\/search\/`, `web\/`/s);
  });

  it('lets it list and read the rest, and neither search nor change it', () => {
    expect(told()).toMatch(/^web\/ \(outside\)$/m);
    expect(told()).toMatch(/1\tlarge words/);
    expect(told()).toMatch(/not searched, because outside of the workspace: .*web\//);
    expect(told()).toMatch(/"web\/words\.txt" is outside of the workspace/);
  });

  it('makes a pull request with exactly the change', async () => {
    const changed = await scene.git('diff', '--name-status', 'main', 'issuewright/issue-1');
    expect(changed.trim()).toBe('M\tservices/billing/main.txt');
  });
});

describe.each(['push', 'verified'])('a conflict with a part of a repository, %s', (publish) => {
  let scene: Scene;
  beforeAll(async () => {
    const resolved = { ...writeA(lines([3, 'both'])), when: CONFLICTS };
    const resolving = inConflict(resolved, commit('Merge the base branch'));
    const later = say(call('write_file', { path: 'b.txt', content: 'later\n' }));
    scene = await Scene.open({
      scripts: [{ ...resolving, turns: [...resolving.turns, later, finish('Say more')] }],
      files: {
        ...LINES,
        'services/billing/main.txt': 'billing\n',
        'web/words.txt': lines(),
        'web/other.txt': lines(),
        '.github/issuewright.yml': `sparse: [services/billing]\ncommits: {publish: ${publish}}\n`,
      },
    });
  });
  afterAll(() => scene.close());

  it('is resolved by the agent, with what both sides changed outside', async () => {
    const { issue } = await opened(scene, 'In conflict');
    const branch = branchOf(issue);
    await pushTo(scene, branch, { 'web/words.txt': lines([2, 'ours']) });
    const before = await scene.git('rev-parse', branch);
    await pushTo(scene, 'main', {
      'a.txt': lines([3, 'theirs']),
      'web/words.txt': lines([9, 'theirs']),
      'web/other.txt': lines([9, 'theirs']),
    });
    const base = await scene.git('rev-parse', 'main');
    await untilMerged(scene, branch);
    expect(await parentsOf(scene, branch)).toEqual([before, base]);
    expect(await scene.git('show', `${branch}:a.txt`)).toBe(lines([3, 'both']).trim());
    const words = await scene.git('show', `${branch}:web/words.txt`);
    expect(words).toBe(lines([2, 'ours'], [9, 'theirs']).trim());
    expect(await scene.git('diff', '--name-only', base, branch)).toBe('a.txt\nweb/words.txt');
    expect(await scene.git('fsck', '--strict', '--no-dangling')).toBe('');
    await scene.untilStatus(issue, /ready for review/i);
  });

  it('is left to people if it is outside, and they are told where', async () => {
    const issue = scene.repository.issues[0];
    if (issue === undefined) throw new Error('no issue');
    const branch = branchOf(issue);
    await pushTo(scene, branch, { 'web/words.txt': lines([4, 'ours']) });
    const before = await scene.git('rev-parse', branch);
    await pushTo(scene, 'main', { 'web/words.txt': lines([4, 'theirs']) });
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await scene.until('the reason', () =>
      scene.repository.comments.some(({ body }) =>
        /in files outside of the directories that the setting `sparse` names: `web\/words\.txt`/.test(
          body,
        ),
      ),
    );
    expect(await scene.git('rev-parse', branch)).toBe(before);
    await scene.untilStatus(issue, /failed/i);
  });

  it('keeps no other request back, and is told of only when someone asks for it', async () => {
    const issue = scene.repository.issues[0];
    if (issue === undefined) throw new Error('no issue');
    const branch = branchOf(issue);
    const before = await scene.git('rev-parse', branch);
    const told = (): number =>
      scene.repository.comments.filter(
        ({ body }) => body.includes('the setting `sparse` names') && !body.includes(':status -->'),
      ).length;
    await scene.until('the reason', () => told() === 1);
    scene.maintainer.comment(scene.thread(issue), '@issuewright Please change b.txt too.');
    await scene.untilStatus(issue, /ready for review/i);
    expect(await scene.git('show', `${branch}:b.txt`)).toBe('later');
    expect(await parentsOf(scene, branch)).toEqual([before]);
    await pushTo(scene, 'main', { 'web/other.txt': lines([1, 'theirs'], [9, 'theirs']) });
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await scene.untilStatus(issue, /failed/i);
    await scene.until('the reason', () => told() > 1);
    expect(told()).toBe(2);
  });
});
