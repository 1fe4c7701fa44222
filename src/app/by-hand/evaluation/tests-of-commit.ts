// Runs the tests of a repository at a commit, as a run of the agent would: after `setup`, in the sandbox.
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
    return { isPassed: ran.ok !== false, words: wordsOf(ran) };
  } catch (error) {
    if (error instanceof TellModel) return { isPassed: false, words: error.message };
    throw error;
  } finally {
    await workspace.close();
  }
}

/** Tests fail for many reasons if `setup` does, so that is said first. */
function wordsOf({ output, effects = [] }: ToolResult): string {
  const failed = effects.find((effect) => effect.type === 'setup' && effect.exitCode !== 0);
  const setup =
    failed?.type === 'setup' ? `the setup command ${JSON.stringify(failed.command)} failed. ` : '';
  return `${setup}${output.split('\n', 1)[0] ?? ''}`;
}
