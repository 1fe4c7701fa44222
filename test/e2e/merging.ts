// What the stories about conflicts share: a repository of lines, and a base branch that moves.
import type { Issue, PullRequest } from '../../playground/github/state.ts';
import type { Scene } from './scene.ts';
import { call, say } from './turns.ts';

export const lines = (...changed: [number, string][]): string =>
  Array.from({ length: 12 }, (_, at) => `${new Map(changed).get(at) ?? `line ${at}`}\n`).join('');

export const LINES = { 'README.md': '# Lines\n', 'a.txt': lines(), 'b.txt': lines() };

export const writeA = (content: string) => say(call('write_file', { path: 'a.txt', content }));
export const finish = (summary: string) => say(call('finish', { summary }));
export const commit = (message: string) => say(call('commit', { message }));

export const branchOf = ({ number }: Issue): string => `issuewright/issue-${number}`;

export async function opened(
  scene: Scene,
  title: string,
): Promise<{ issue: Issue; pull: PullRequest }> {
  const issue = scene.ask(title, '');
  await scene.untilStatus(issue, /ready for review/i);
  const pull = scene.pulls().find((one) => one.pull.head === branchOf(issue));
  if (pull === undefined) throw new Error('no pull request was opened');
  return { issue, pull };
}

export const pushTo = (scene: Scene, branch: string, files: Record<string, string>) =>
  scene.maintainer.push(scene.repository, { branch, message: 'Move the branch', files });

export const parentsOf = async (scene: Scene, branch: string): Promise<string[]> =>
  (await scene.git('log', '-1', '--format=%P', branch)).split(' ');

export const untilMerged = (scene: Scene, branch: string) =>
  scene.until('the merge', async () => (await parentsOf(scene, branch)).length === 2);
