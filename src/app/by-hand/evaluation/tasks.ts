// Which closed issues are tasks: those whose pull request brought tests that fail without its other changes and pass with them. The
// tests of a commit run in the sandbox.
import type { ClosedIssue, ClosingPull } from '../../../github/closed-issues.ts';
import type { RepositoryByToken } from '../../../github/by-token.ts';
import { isTest } from '../../../workspace/search/code/rank.ts';
import { CommitNotFound } from '../../../workspace/git/explain-failure.ts';
import type {
  CommittedFile,
  TaskRepositories,
} from '../../../workspace/git/folder/task-repository.ts';
import { sharedTime } from '../../../lib/clock.ts';
import type { ToolResult } from '../../../contracts/tool.ts';
import { TellModel } from '../../../lib/errors.ts';
import { SETTINGS_FILE } from '../../../session/settings/index.ts';
import type { SettingsLayer } from '../../../session/settings/read.ts';
import { ProcessJournal } from '../../../store/process-journal.ts';
import { runTests } from '../../../tools/shell/run-tests.ts';
import type { FolderRepository } from '../../../workspace/git/folder/folder.ts';
import { commandsFor } from '../../run/ports/workspace-commands.ts';
import { workOf } from '../../run/ports/forge.ts';
import { planRun } from '../../run/plan/plan.ts';
import type { RunRepository, RunScope, RunService } from '../../service/service.ts';
import { workspaceFor } from '../../run/workspace.ts';
import { JournalTracker } from '../../service/journal-tracker.ts';
import { folderOnDisk } from '../folder-on-disk.ts';
import { serveFolder } from '../../../workspace/git/folder/folder-server.ts';

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

// Runs the tests of a repository at a commit, as a run of the agent would: after `setup`, in the sandbox.

/** The texts of the settings that are followed, whatever the commit of a task has. `undefined`: there are none. */
export interface SettingsOfToday {
  readonly own: string | undefined;
  readonly owners: string | undefined;
  /** What holds besides, for this time. */
  readonly layer?: SettingsLayer;
}

export const withTodaysSettings = (
  repository: RunRepository,
  { own, owners, layer }: SettingsOfToday,
): RunRepository & { readonly settingsLayer: SettingsLayer | undefined } => ({
  ...repository,
  settingsLayer: layer,
  readFile: (path, isClosed) =>
    path === SETTINGS_FILE ? Promise.resolve(own) : repository.readFile(path, isClosed),
  ownersFile: (path) => Promise.resolve(path === SETTINGS_FILE ? owners : undefined),
});

/** What is the same for all tasks of an evaluation. */
export interface EvaluationScope {
  readonly service: Omit<RunService, 'store'>;
  readonly settings: SettingsOfToday;
  readonly stopped: AbortSignal;
}

export interface TestsRan {
  readonly isPassed: boolean;
  /** The command and what came of it, in one line. */
  readonly words: string;
}

/** @throws {TellPerson} if commands cannot be run at all */
export async function testsOfCommit(
  { service, settings, stopped: signal }: EvaluationScope,
  repository: FolderRepository,
  commit: string,
): Promise<TestsRan> {
  const folder = { commit, base: 'main', branch: 'issuewright/tests' };
  const opened = { installation: 0, issue: 0, folder };
  const store = new ProcessJournal();
  const id = store.open({
    ...opened,
    repository: { id: 0, owner: 'folder', name: repository.name },
  });
  const tracker = await JournalTracker.open(store, id, await store.claim(id));
  const server = await serveFolder(repository);
  const github = withTodaysSettings(folderOnDisk(repository, server, folder), settings);
  const admit = () => Promise.resolve();
  try {
    return await tested({ service: { ...service, store }, tracker, github, admit, signal });
  } finally {
    await server.close();
  }
}

async function tested(scope: RunScope): Promise<TestsRan> {
  const { tracker, signal } = scope;
  const plan = await planRun(scope);
  const workspace = await workspaceFor(scope, plan);
  try {
    const commands = commandsFor(scope, plan, workspace);
    const work = workOf(tracker, { ...plan.destination, questionTimeout: plan.questionTimeout });
    const ports = { ...workspace, commands, work };
    const ran = await runTests.run({}, ports, { startedAt: sharedTime(), signal });
    return { isPassed: ran.ok !== false, words: resultWords(ran) };
  } catch (error) {
    if (error instanceof TellModel) return { isPassed: false, words: error.message };
    throw error;
  } finally {
    await workspace.close();
  }
}

/** Tests fail for many reasons if `setup` does, so that is said first. */
function resultWords({ output, effects = [] }: ToolResult): string {
  const failed = effects.find((effect) => effect.type === 'setup' && effect.exitCode !== 0);
  const setup =
    failed?.type === 'setup' ? `the setup command ${JSON.stringify(failed.command)} failed. ` : '';
  return `${setup}${output.split('\n', 1)[0] ?? ''}`;
}
