// What the stories about conflicts share: a repository of lines, and a base branch that moves.
import type { FileChanges } from '../../../packages/local-github/src/github/git/repository.ts';
import type { Issue, PullRequest } from '../../../packages/local-github/src/github/state.ts';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

type Turn = Script['turns'][number];

export const lines = (...changed: [number, string][]): string =>
  Array.from({ length: 12 }, (_, at) => `${new Map(changed).get(at) ?? `line ${at}`}\n`).join('');

export const LINES = { 'README.md': '# Lines\n', 'a.txt': lines(), 'b.txt': lines() };

export const writeA = (content: string) => say(call('write_file', { path: 'a.txt', content }));
export const finish = (summary: string) => say(call('finish', { summary }));
export const commit = (message: string) => say(call('commit', { message }));

/** What conflicts is told to the agent in these words. */
export const CONFLICTS = 'could not merge all of it';

/** A change that merges with others, and one that another change of line 3 is in conflict with. */
export const cleanMerge: Script = {
  match: 'Clean merge',
  turns: [writeA(lines([2, 'ours'])), finish('Change line 2')],
};
export const inConflict = (...resolving: Turn[]): Script => ({
  match: 'In conflict',
  turns: [writeA(lines([3, 'ours'])), finish('Change line 3'), ...resolving, finish('Keep both')],
});

/** Two issues, the second of which depends on the pull request of the first. */
export const STACK: readonly Script[] = [
  { match: 'Lower', turns: [writeA(lines([2, 'lower'])), finish('Change line 2')] },
  {
    match: 'Upper',
    turns: [
      { ...writeA(lines([2, 'lower'], [9, 'upper'])), when: 'on which this work is based' },
      finish('Change line 9'),
      { ...writeA(lines([2, 'lower'], [9, 'both'])), when: CONFLICTS },
      finish('Keep both'),
    ],
  },
];

/** People push before the third reply. */
export const PUSHED_BETWEEN: Script = {
  match: 'Pushed in between',
  turns: [
    writeA(lines([2, 'ours'])),
    commit('Change line 2'),
    writeA(lines([2, 'ours'], [3, 'lost'])),
    commit('Change line 3'),
    {
      ...writeA(lines([2, 'ours'], [3, 'again'])),
      when: 'The workspace is now a fresh clone',
      delay_ms: 1_000,
    },
    finish('Change lines 2 and 3'),
  ],
};

export const branchOf = ({ number }: Issue): string => `issuewright/issue-${number}`;

export async function opened(
  scene: Scene,
  title: string,
  body = '',
): Promise<{ issue: Issue; pull: PullRequest }> {
  const issue = scene.ask(title, body);
  await scene.untilStatus(issue, /ready for review/i);
  const pull = scene.pulls().find((one) => one.pull.head === branchOf(issue));
  if (pull === undefined) throw new Error('no pull request was opened');
  return { issue, pull };
}

export const pushTo = (scene: Scene, branch: string, files: FileChanges) =>
  scene.maintainer.push(scene.repository, { branch, message: 'Move the branch', files });

export const parentsOf = async (scene: Scene, branch: string): Promise<string[]> =>
  (await scene.git('log', '-1', '--format=%P', branch)).split(' ');

export const untilMerged = (scene: Scene, branch: string) =>
  scene.until('the merge', async () => (await parentsOf(scene, branch)).length === 2);

/** How often a pull request got another base branch. */
export const baseEdits = (scene: Scene): number =>
  scene.github.deliveries.filter(({ event, action, payload }) => {
    const changes: unknown = payload['changes'];
    const isEdit = event === 'pull_request' && action === 'edited';
    return isEdit && typeof changes === 'object' && changes !== null && 'base' in changes;
  }).length;
