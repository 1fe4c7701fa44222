import type { Limits } from '../agent/limits.ts';
import type { GitHubRepository } from '../github/repository.ts';
import { TellPerson } from '../lib/errors.ts';
import { branchOf } from '../session/branch.ts';
import type { EntryOf, RunMode } from '../session/entry.ts';
import { trailersOf } from '../session/trailers.ts';
import { readSettings, SETTINGS_FILE, type RepositorySettings } from '../session/settings.ts';
import type { StoredChange } from '../store/store.ts';
import { chooseTools } from '../tools/choose-tools.ts';
import { listTools } from '../tools/index.ts';
import type { PathSettings } from '../workspace/files/repository-paths.ts';
import { resolveRemote } from '../workspace/git/remote.ts';
import { promptSection, readInstructions, sourceOf } from './repository-instructions.ts';
import type { Destination } from './forge.ts';
import type { Operator, RunContext } from './run-context.ts';

interface Base {
  readonly branch: string;
  readonly baseBranch: string;
  readonly commit: string;
}

/** What a run is to work with, settled before the clone. */
export interface RunPlan {
  readonly model: string;
  readonly mode: RunMode;
  readonly protocol: Operator['protocol'];
  readonly limits: Limits;
  /** The names of the tools that it has. */
  readonly tools: ReadonlySet<string>;
  readonly instructionFiles: readonly string[];
  /** What the repository lets be read and written. */
  readonly paths: PathSettings;
  /** What they say, for the system prompt; of no use once the run is prepared. */
  readonly guidance: string;
  readonly base: Base;
  readonly destination: Destination;
  /** Lines at the end of each commit message. */
  readonly trailers: readonly string[];
  /** What was changed in the workspace and not committed. */
  readonly changes: readonly StoredChange[];
  /** How the run was prepared before it was interrupted; `undefined` for a new one. */
  readonly prepared: EntryOf<'run_prepared'> | undefined;
}

/** A model that cannot keep the form is told this often before the run is given up. */
const FAULTS_IN_A_ROW = 3;

/**
 * An interrupted run goes on as it was prepared, unless its model is no longer offered; a new one
 * follows the repository's settings.
 * @throws {TellPerson} for settings that cannot be followed
 */
export async function planRun(context: RunContext): Promise<RunPlan> {
  const { tracker, github, operator, store } = context;
  const { run, head, changesAfter } = tracker.session;
  const settings = await settingsOf(github);
  const asked = {
    protocol: protocolOf(settings, operator),
    limits: limitsOf(settings, operator),
    tools: toolsOf(settings),
    instructionFiles: settings.instructions ?? operator.instructionFiles,
    paths: settings.paths ?? {},
  };
  const changes = await store.changes(tracker.id, changesAfter);
  const prepared = tracker.entries.findLast((entry) => entry.type === 'run_prepared');
  const isOffered = prepared !== undefined && operator.models.includes(prepared.model);
  if (isOffered && prepared.run === run?.number) {
    const { model, mode, branch, baseBranch, baseCommit, trailers = [] } = prepared;
    const base = { branch, baseBranch, commit: head ?? baseCommit };
    const destination = destinationOf(settings, base);
    return { ...asked, model, mode, guidance: '', base, destination, trailers, changes, prepared };
  }
  const [base, guidance] = await Promise.all([
    baseOf(context, settings.base, changes.length > 0),
    readInstructions(sourceOf(context), asked.instructionFiles).then(promptSection),
  ]);
  const model = modelOf(settings, operator);
  const mode = operator.mode === 'agent' ? settings.mode : operator.mode;
  // Changes were made on one commit: on another they would undo what people did there.
  const kept = base.commit === head ? changes : [];
  return {
    ...asked,
    model,
    mode,
    guidance,
    base,
    destination: destinationOf(settings, base),
    trailers: trailersFor(context, settings),
    changes: kept,
    prepared: undefined,
  };
}

const destinationOf = (
  { draft, reviewers }: RepositorySettings,
  { baseBranch }: Base,
): Destination => ({ baseBranch, draft, reviewers });

const trailersFor = (
  { tracker, github }: RunContext,
  { commits }: RepositorySettings,
): readonly string[] =>
  trailersOf({
    requester: tracker.session.requester,
    settings: commits,
    hostname: new URL(github.gitUrl).hostname,
  });

async function settingsOf(github: GitHubRepository): Promise<RepositorySettings> {
  const read = readSettings(await github.readFile(SETTINGS_FILE));
  if ('settings' in read) return read.settings;
  throw new TellPerson(`\`${SETTINGS_FILE}\` cannot be used: ${read.fault}`);
}

function modelOf(settings: RepositorySettings, operator: Operator): string {
  const { model } = settings;
  if (model === undefined) return operator.models[0];
  if (operator.models.includes(model)) return model;
  const offered = operator.models.map((name) => `\`${name}\``).join(', ');
  throw new TellPerson(
    `\`${SETTINGS_FILE}\` asks for the model \`${model}\`, which is not offered here. Offered: ${offered}.`,
  );
}

function toolsOf({ tools }: RepositorySettings): ReadonlySet<string> {
  const choice = chooseTools(listTools(), new Map(Object.entries(tools)));
  if ('names' in choice) return choice.names;
  throw new TellPerson(`\`${SETTINGS_FILE}\` ${choice.fault}`);
}

/** What the operator settled stands; what was left open is the repository's to choose. */
const protocolOf = (settings: RepositorySettings, { protocol }: Operator): Operator['protocol'] =>
  protocol === 'auto' ? (settings.protocol ?? protocol) : protocol;

function limitsOf({ limits: asked }: RepositorySettings, { limits }: Operator): Limits {
  return {
    turns: Math.min(asked.turns ?? Infinity, limits.turns),
    wallTimeMs: Math.min(asked.minutes ?? Infinity, limits.minutes) * 60_000,
    tokens: limits.runTokens,
    dollars: { ...limits.dollars, run: lower(asked.dollars, limits.dollars.run) },
    faults: FAULTS_IN_A_ROW,
    outputTokens: limits.outputTokens,
  };
}

/** The lower of two limits, each of which may be missing. */
const lower = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

/**
 * Where a new run begins: at the head of the session's branch, where people may have pushed; else
 * where its uncommitted work began; else at the head of the base branch.
 */
async function baseOf(
  context: RunContext,
  wanted: string | undefined,
  hasUncommitted: boolean,
): Promise<Base> {
  const { tracker, github, signal } = context;
  const branch = branchOf(tracker.session);
  const remote = await resolveRemote({
    remoteUrl: github.gitUrl,
    credentials: (access) => github.gitToken(access),
    signal,
  });
  const baseBranch = wanted ?? remote.defaultBranch;
  if (wanted !== undefined && remote.head(wanted) === undefined)
    throw new TellPerson(
      `\`${SETTINGS_FILE}\` names the base branch \`${wanted}\`, which does not exist here. Create it, or name another.`,
    );
  const started = hasUncommitted ? tracker.session.head : undefined;
  const commit = remote.head(branch) ?? started ?? remote.head(baseBranch);
  if (commit === undefined) {
    throw new TellPerson(
      `The default branch \`${baseBranch}\` has no commit. Push a first one, then add the label again.`,
    );
  }
  return { branch, baseBranch, commit };
}
