// Which closed issues are tasks: those whose pull request brought tests that fail without its other changes and pass with them.
import type { ClosedIssue, ClosingPull } from '../../../github/closed-issues.ts';
import type { RepositoryByToken } from '../../../github/by-token.ts';
import { isTest } from '../../../workspace/search/code/rank.ts';
import { CommitNotFound } from '../../../workspace/git/explain-failure.ts';
import type {
  CommittedFile,
  TaskRepositories,
} from '../../../workspace/git/folder/task-repository.ts';
import { testsOfCommit, type EvaluationScope } from './tests-of-commit.ts';

/** What the agent is asked, and what judges it. */
export interface Task {
  readonly issue: number;
  readonly title: string;
  readonly pull: number;
  /** When its pull request was opened: the agent reads nothing later. */
  readonly openedAt: string;
  /** The commit at which the agent begins. */
  readonly base: string;
  /** The last commit of the pull request. */
  readonly head: string;
}

export interface LeftOutIssue {
  readonly issue: number;
  readonly reason: string;
}

type GitHubOfTasks = Pick<RepositoryByToken, 'gitUrl' | 'gitToken' | 'mergeBase'>;

export interface ExaminationScope extends EvaluationScope {
  readonly github: GitHubOfTasks;
  readonly repositories: TaskRepositories;
}

/** Fetches the commits of a task. */
export const fetchTask = (
  { github, repositories, service }: ExaminationScope,
  { base, head }: Pick<Task, 'base' | 'head'>,
): Promise<void> =>
  repositories.fetch([base, head], {
    remoteUrl: github.gitUrl,
    credentials: (access, rejected) => github.gitToken(access, rejected),
    maxBytes: service.git.maxBytes,
  });

/** The test files of a task's pull request, as it left them. */
export const testFilesOf = async (
  repositories: TaskRepositories,
  { base, head }: Pick<Task, 'base' | 'head'>,
): Promise<readonly CommittedFile[]> =>
  (await repositories.difference(base, head)).filter(({ path }) => isTest(path));

/** `undefined`: no pull request closed it, so it never was a task. */
export async function examine(
  examining: ExaminationScope,
  issue: ClosedIssue,
): Promise<Task | LeftOutIssue | undefined> {
  const { number, title, changedAt, pulls } = issue;
  const [pull] = pulls;
  if (pull === undefined) return undefined;
  const out = (reason: string): LeftOutIssue => ({ issue: number, reason });
  if (pulls.length > 1) return out(`${pulls.length} merged pull requests closed it`);
  const name = `#${pull.number}`;
  if (pull.closes > 1) return out(`its pull request ${name} closed ${pull.closes} issues`);
  if (changedAt !== undefined && changedAt >= pull.openedAt)
    return out(`its title or text was changed after ${name} was opened`);
  const task = await taskOf(examining, pull, { issue: number, title });
  if (task === undefined) return out(`the commits of ${name} cannot be fetched any more`);
  const reason = await whyNoTask(examining, task, name);
  return reason === undefined ? task : out(reason);
}

async function taskOf(
  examining: ExaminationScope,
  { number: pull, base: before, head, openedAt }: ClosingPull,
  { issue, title }: Pick<Task, 'issue' | 'title'>,
): Promise<Task | undefined> {
  const base = await examining.github.mergeBase(before, head);
  const task = { issue, title, pull, openedAt, base, head };
  try {
    await fetchTask(examining, task);
    return task;
  } catch (error) {
    if (error instanceof CommitNotFound) return undefined;
    throw error;
  }
}

async function whyNoTask(
  examining: ExaminationScope,
  { base, head }: Task,
  name: string,
): Promise<string | undefined> {
  const { repositories } = examining;
  const changed = await repositories.difference(base, head);
  const tests = changed.filter(({ path }) => isTest(path));
  if (tests.length === 0) return `${name} changed no test files`;
  if (tests.length === changed.length) return `${name} changed nothing but test files`;
  const testsAlone = await repositories.withFiles(base, tests);
  const without = await testsOfCommit(examining, repositories.all, testsAlone);
  if (without.isPassed) return `the tests of ${name} pass without its other changes`;
  const whole = await testsOfCommit(examining, repositories.all, head);
  return whole.isPassed ? undefined : `the tests fail with all of ${name}: ${whole.words}`;
}
