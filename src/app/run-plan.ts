import type { Limits } from '../agent/limits.ts';
import type { GitHubRepository } from '../github/repository.ts';
import { TellPerson } from '../lib/errors.ts';
import { branchOf } from '../session/branch.ts';
import type { EntryOf } from '../session/entry.ts';
import { readSettings, SETTINGS_FILE, type RepositorySettings } from '../session/settings.ts';
import type { StoredChange } from '../store/store.ts';
import { resolveRemote } from '../workspace/git/remote.ts';
import type { OperatorLimits, RunContext } from './run-context.ts';

interface Base {
  readonly branch: string;
  readonly baseBranch: string;
  readonly commit: string;
}

/** What a run is to work with, settled before the clone. */
export interface RunPlan {
  readonly model: string;
  readonly limits: Limits;
  readonly base: Base;
  /** What was changed in the workspace and not committed. */
  readonly changes: readonly StoredChange[];
  /** How the run was prepared before it was interrupted; `undefined` for a new one. */
  readonly prepared: EntryOf<'run_prepared'> | undefined;
}

/** A model that cannot keep the form is told this often before the run is given up. */
const FAULTS_IN_A_ROW = 3;

/**
 * An interrupted run goes on as it was prepared; a new one follows the repository's settings.
 * @throws {TellPerson} for settings that cannot be followed
 */
export async function planRun(context: RunContext): Promise<RunPlan> {
  const { tracker, github, operator, store } = context;
  const { run, head, changesAfter } = tracker.session;
  const settings = await settingsOf(github);
  const limits = limitsOf(settings, operator);
  const changes = await store.changes(tracker.id, changesAfter);
  const prepared = tracker.entries.findLast((entry) => entry.type === 'run_prepared');
  if (prepared !== undefined && prepared.run === run?.number) {
    const { model, branch, baseBranch, baseCommit } = prepared;
    const base = { branch, baseBranch, commit: head ?? baseCommit };
    return { model, limits, base, changes, prepared };
  }
  const base = await baseOf(context, changes.length > 0);
  const model = modelOf(settings, operator);
  // Changes were made on one commit: on another they would undo what people did there.
  const kept = base.commit === head ? changes : [];
  return { model, limits, base, changes: kept, prepared: undefined };
}

async function settingsOf(github: GitHubRepository): Promise<RepositorySettings> {
  const read = readSettings(await github.readFile(SETTINGS_FILE));
  if ('settings' in read) return read.settings;
  throw new TellPerson(`\`${SETTINGS_FILE}\` cannot be used: ${read.fault}`);
}

function modelOf(settings: RepositorySettings, operator: OperatorLimits): string {
  const { model } = settings;
  if (model === undefined) return operator.models[0];
  if (operator.models.includes(model)) return model;
  const offered = operator.models.map((name) => `\`${name}\``).join(', ');
  throw new TellPerson(
    `\`${SETTINGS_FILE}\` asks for the model \`${model}\`, which is not offered here. Offered: ${offered}.`,
  );
}

function limitsOf(settings: RepositorySettings, operator: OperatorLimits): Limits {
  const { turns = operator.turns, minutes = operator.minutes } = settings.limits;
  return {
    turns: Math.min(turns, operator.turns),
    wallTimeMs: Math.min(minutes, operator.minutes) * 60_000,
    faults: FAULTS_IN_A_ROW,
    outputTokens: operator.outputTokens,
  };
}

/**
 * Where a new run begins: at the head of the session's branch, where people may have pushed; else
 * where its uncommitted work began; else at the head of the default branch.
 */
async function baseOf(context: RunContext, hasUncommitted: boolean): Promise<Base> {
  const { tracker, github, signal } = context;
  const branch = branchOf(tracker.session);
  const remote = await resolveRemote({
    remoteUrl: github.gitUrl,
    credentials: (access) => github.gitToken(access),
    signal,
  });
  const baseBranch = remote.defaultBranch;
  const started = hasUncommitted ? tracker.session.head : undefined;
  const commit = remote.head(branch) ?? started ?? remote.head(baseBranch);
  if (commit === undefined) {
    throw new TellPerson(
      `The default branch \`${baseBranch}\` has no commit. Push a first one, then add the label again.`,
    );
  }
  return { branch, baseBranch, commit };
}
