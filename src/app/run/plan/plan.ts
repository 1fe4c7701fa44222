import type { AgentLimits } from '../../../agent/limits.ts';
import type { Effort } from '../../../contracts/model.ts';
import type { RunMode } from '../../../contracts/entries.ts';
import type { EntryOf } from '../../../session/entry.ts';
import { trailersOf } from '../../../session/trailers.ts';
import type { CacheSettings } from '../../../session/settings/commands.ts';
import { DEVCONTAINER_FILE } from '../../../session/settings/environment.ts';
import { steeringFiles, type RepositorySettings } from '../../../session/settings/index.ts';
import { REVIEW_ROUNDS } from '../../../session/settings/fields.ts';
import { CACHE_WITHOUT_SETUP } from '../../../session/texts/setup-cache.ts';
import type { StoredChange } from '../../../contracts/files.ts';
import type { CommandSettings } from '../../../tools/define-tool.ts';
import type { PathSettings } from '../../../workspace/files/repository-paths.ts';
import { guidanceFor } from '../instructions/repository-instructions.ts';
import type { Destination } from '../ports/forge.ts';
import type { Operator, PlanScope, Service } from '../../service/service.ts';
import { resolveBase, type Base } from '../stack.ts';
import {
  chooseModel,
  fallbackAfterMs,
  fallbackFor,
  mayContinueWith,
  reviewModelOf,
  type ChosenModel,
} from './choose-models.ts';
import {
  chosenTools,
  comesPlanFirst,
  closesPaths,
  NO_WORKFLOWS,
  planServers,
  workflowsOf,
  type ServersPlan,
} from './offered-tools.ts';
import { imageForTools, planEnvironment, type PlannedEnvironment } from './plan-environment.ts';
import { modeOf, planByKind } from './plan-review.ts';
import { settingsFor, type FollowedSettings } from '../../admission/settings.ts';

/** What a run is to work with, settled before the clone. */
export interface RunPlan {
  readonly model: string;
  /** How much it thinks; `undefined`: its default. */
  readonly effort: Effort | undefined;
  /** After which time of failures another model continues the run; `undefined`: none does. */
  readonly fallbackAfterMs: number | undefined;
  /** Why it continues the run of another model. */
  readonly fallback?: ChosenModel['fallback'];
  readonly mode: RunMode;
  /** The model that reviews the change before it is submitted; `undefined`: none does. */
  readonly reviewModel: string | undefined;
  readonly protocol: Operator['protocol'];
  readonly limits: AgentLimits;
  /** The names of the tools that it has. */
  readonly tools: ReadonlySet<string>;
  /** The MCP servers, whose tools it has besides. */
  readonly servers: ServersPlan;
  readonly commands: Omit<CommandSettings, 'longest'>;
  /** What of the work of `setup` is kept for later sessions; `branch`: the setting `base`. */
  readonly cache: (CacheSettings & { readonly branch: string | undefined }) | undefined;
  /** The image in which its commands run, once it is there. */
  readonly image: PlannedEnvironment['image'];
  /** What runs programs in its workspace; without it, it has no dangerous tools. */
  readonly shells: Service['shells'];
  readonly instructionFiles: readonly string[];
  /** What the repository lets be read and written. */
  readonly paths: PathSettings;
  /** The only directories that its workspace has; all if omitted. */
  readonly sparse: RepositorySettings['sparse'];
  /** What they say, for the system prompt; of no use once the run is prepared. */
  readonly guidance: string;
  /** What of the repository's settings is not followed, and why. Markdown. */
  readonly warnings: readonly string[];
  /** It reviews the pull request of someone else, and changes and runs nothing. */
  readonly isReview: boolean;
  /** It proposes sub-issues of the issue, and changes and runs nothing. */
  readonly isSplit: boolean;
  /** Globs of the files that it reviews; all if missing. */
  readonly reviewPaths: readonly string[] | undefined;
  /** What such a review may be. */
  readonly reviewVerdicts: RepositorySettings['review']['may'];
  /** People agree to its plan before it changes anything. */
  readonly planFirst: boolean;
  /** The next issue is started once it has finished. */
  readonly continuous: boolean;
  readonly reviews: { readonly rounds: number; readonly resolvesThreads: boolean };
  /** The least role of those who may request work. */
  readonly who: RepositorySettings['who'];
  readonly questionTimeout: RepositorySettings['question_timeout'];
  /** What is done if the issue seems to be solved already. */
  readonly duplicates: RepositorySettings['duplicates'];
  readonly base: Base;
  readonly destination: Destination;
  /** How commits get to GitHub. */
  readonly publish: RepositorySettings['commits']['publish'];
  /** Lines at the end of each commit message. */
  readonly trailers: readonly string[];
  /** What was changed in the workspace and not committed. */
  readonly changes: readonly StoredChange[];
  /** How the run was prepared before it was interrupted; `undefined` for a new one. */
  readonly prepared: EntryOf<'run_prepared'> | undefined;
}

/** Unreadable replies in a row that are answered before the run fails. */
export const FAULTS_IN_A_ROW = 3;

/**
 * An interrupted run continues as it was prepared, unless its model is no longer offered and allowed or has failed for too long, or
 * the settings name another image; a new one follows the repository's settings.
 * @throws {TellPerson} for settings that cannot be followed
 */
export async function planRun(scope: PlanScope): Promise<RunPlan> {
  const { tracker, github, service } = scope;
  const read = await settingsFor(github, tracker.session.thread.repository);
  const plan = await planWith(scope, read);
  return { ...plan, fallbackAfterMs: await fallbackAfterMs(service, read, plan.model) };
}

type PlanSoFar = Omit<RunPlan, 'fallbackAfterMs'>;

async function planWith(scope: PlanScope, read: FollowedSettings): Promise<PlanSoFar> {
  const { tracker, github, service } = scope;
  const { run, work, thread } = tracker.session;
  const { settings } = read;
  // Anyone can write what is in a fork: none of it is run, and it gets no leave to change workflows. A review needs neither.
  const [isReview, isSplit] = [run?.reviews !== undefined, run?.splits === true];
  const isReadOnly = isReview || isSplit || thread.adopted?.fork !== undefined;
  const shells = isReadOnly ? undefined : service.shells;
  const workflows = isReadOnly ? NO_WORKFLOWS : await workflowsOf(github, settings);
  const workspace = shells && (shells.contained?.workspace ?? '');
  const environment = await planEnvironment(github, settings, workspace);
  const all = {
    ...followed(read, { ...service, shells }, { workflows, environment }),
    isReview,
    isSplit,
  };
  const asked = { ...all, ...planByKind(all, settings, service.operator) };
  const changes = await service.store.changes(tracker.id, work.uncommittedSince);
  const prepared = preparedIn(tracker.entries);
  const isKept =
    prepared !== undefined &&
    mayContinueWith(prepared.model, service.operator, read) &&
    (prepared.mode === 'completion' || prepared.image?.digest === all.image?.digest);
  return isKept && prepared.run === run?.number
    ? { ...asked, ...(await planResumed(scope, read, asked, prepared)), changes }
    : { ...asked, ...(await planNew(scope, read, asked, changes)) };
}

type FollowedPlan = ReturnType<typeof followed> & Pick<RunPlan, 'isReview' | 'isSplit'>;
type PlanBeyondSettings = Omit<PlanSoFar, Exclude<keyof FollowedPlan, 'warnings'>>;

/** As it was prepared, but for its model if that has failed for too long. */
async function planResumed(
  scope: PlanScope,
  read: FollowedSettings,
  asked: FollowedPlan,
  prepared: EntryOf<'run_prepared'>,
): Promise<Omit<PlanBeyondSettings, 'changes'>> {
  const { model, effort, mode, reviewer, branch, baseBranch, trailers = [] } = prepared;
  const base = {
    branch,
    baseBranch,
    commit: scope.tracker.session.work.head ?? prepared.baseCommit,
  };
  const kept = {
    mode,
    planFirst: prepared.planFirst === true,
    base,
    destination: destinationOf(read.settings, base),
    trailers,
  };
  const other = await fallbackFor(scope, read, prepared);
  if (other === undefined) {
    const { warnings } = asked;
    return {
      ...kept,
      model,
      effort,
      warnings,
      reviewModel: reviewer?.model,
      guidance: '',
      prepared,
    };
  }
  return {
    ...kept,
    ...chosen(asked, other),
    reviewModel: reviewer?.model === model ? other.model : reviewer?.model,
    guidance: await guidanceFor(scope, read.settings, asked.instructionFiles),
    prepared: undefined,
  };
}

async function planNew(
  scope: PlanScope,
  read: FollowedSettings,
  asked: FollowedPlan,
  changes: readonly StoredChange[],
): Promise<PlanBeyondSettings> {
  const { settings } = read;
  const { operator } = scope.service;
  const labels = labelsOf(scope);
  const [base, guidance, planFirst, own] = await Promise.all([
    resolveBase(scope, read, changes.length > 0),
    guidanceFor(scope, settings, asked.instructionFiles),
    asked.isReview || asked.isSplit ? false : comesPlanFirst(scope, settings, labels),
    chooseModel(scope, read, labels),
  ]);
  // The diff of its branch is mostly its author's.
  const isAdopted = scope.tracker.session.thread.adopted !== undefined;
  return {
    ...chosen(asked, own),
    mode: modeOf(settings, operator),
    reviewModel: isAdopted || asked.isSplit ? undefined : reviewModelOf(read, operator, own.model),
    planFirst,
    guidance,
    base,
    destination: destinationOf(settings, base),
    trailers: trailersFor(scope, settings),
    changes: asked.isSplit ? [] : await changesOn(scope, base, changes),
    prepared: undefined,
  };
}

/** Changes were made on one commit: on another they would undo what people did there. */
async function changesOn(
  { tracker, service }: PlanScope,
  { commit, replaces }: Base,
  changes: readonly StoredChange[],
): Promise<readonly StoredChange[]> {
  const { head, saved } = tracker.session.work;
  if (commit === head) return changes;
  return saved === undefined || saved.commit !== replaces
    ? []
    : service.store.changes(tracker.id, saved.since);
}

/** With what the settings say of models, and was not followed. */
const chosen = (
  asked: Pick<RunPlan, 'warnings'>,
  own: ChosenModel,
): Pick<RunPlan, 'model' | 'effort' | 'fallback' | 'warnings'> => ({
  ...own,
  warnings: [...asked.warnings, ...own.warnings],
});

/** Those of the issue, asked for once. */
function labelsOf({ tracker, github }: PlanScope): () => Promise<readonly string[]> {
  let known: Promise<readonly string[]> | undefined;
  return () => {
    known ??= github.issueState(tracker.session.thread.issue).then(({ labels }) => labels);
    return known;
  };
}

/** As a run was prepared last; `undefined` if it has to be prepared again, because its branch moved. */
function preparedIn(entries: PlanScope['tracker']['entries']): EntryOf<'run_prepared'> | undefined {
  const last = entries.findLast(({ type }) => type === 'run_prepared' || type === 'branch_moved');
  return last?.type === 'run_prepared' ? last : undefined;
}

interface PlannedParts {
  readonly workflows: Awaited<ReturnType<typeof workflowsOf>>;
  readonly environment: PlannedEnvironment;
}

/** What the settings say for new and for resumed runs alike. */
const followed = (
  read: FollowedSettings,
  { operator, shells, servers }: PlanScope['service'],
  { workflows, environment }: PlannedParts,
  tools = chosenTools(read, shells !== undefined),
) => ({
  protocol: protocolOf(read.settings, operator),
  limits: limitsOf(read.settings, operator),
  tools,
  servers: planServers(read, servers, {
    allowsDangerous: shells !== undefined,
    onlyByName: closesPaths(read),
  }),
  commands: environment.commands,
  image: imageForTools(environment, tools),
  cache: read.settings.cache && { ...read.settings.cache, branch: read.settings.base },
  shells,
  instructionFiles: read.settings.instructions ?? operator.instructionFiles,
  paths: { ...pathsOf(read.settings, operator), workflows: workflows.mayChange },
  sparse: read.settings.sparse,
  warnings: [
    ...read.warnings,
    ...workflows.warnings,
    ...environment.warnings,
    ...(read.settings.cache !== undefined && environment.commands.setup.length === 0
      ? [CACHE_WITHOUT_SETUP]
      : []),
  ],
  publish: read.settings.commits.publish,
  continuous: read.settings.continuous,
  reviews: {
    rounds: read.settings.limits.review_rounds ?? REVIEW_ROUNDS,
    resolvesThreads: read.settings.resolve_threads === 'own',
  },
  reviewPaths: read.settings.review.paths,
  reviewVerdicts: read.settings.review.may,
  who: read.settings.who,
  questionTimeout: read.settings.question_timeout,
  duplicates: read.settings.duplicates,
});

/** Whoever writes an agent's instructions, or what prepares its commands, decides what the next run does: an agent needs leave for that. */
const pathsOf = (
  { paths = {}, instructions = [], environment, edit_instructions: mayEdit }: RepositorySettings,
  { instructionFiles }: Operator,
): PathSettings => {
  const followed = environment?.devcontainer === true ? [DEVCONTAINER_FILE] : [];
  const steering = steeringFiles([...instructionFiles, ...instructions, ...followed]);
  return { ...paths, readOnly: mayEdit ? [] : steering };
};

const destinationOf = (
  { draft, reviewers }: RepositorySettings,
  { baseBranch }: Base,
): Destination => ({ baseBranch, draft, reviewers });

const trailersFor = (
  { tracker, github }: PlanScope,
  { commits }: RepositorySettings,
): readonly string[] =>
  trailersOf({
    requester:
      tracker.session.thread.folder === undefined ? tracker.session.requests.requester : undefined,
    settings: commits,
    hostname: new URL(github.gitUrl).hostname,
  });

/** The operator's choice counts; without one, the repository chooses. */
const protocolOf = (settings: RepositorySettings, { protocol }: Operator): Operator['protocol'] =>
  protocol === 'auto' ? (settings.protocol ?? protocol) : protocol;

function limitsOf({ limits: asked }: RepositorySettings, { limits }: Operator): AgentLimits {
  const budgets = [asked.dollars, limits.dollars.run].filter((one) => one !== undefined);
  const run = budgets.length === 0 ? undefined : Math.min(...budgets);
  return {
    turns: Math.min(asked.turns ?? Infinity, limits.turns),
    wallTimeMs: Math.min(asked.minutes ?? Infinity, limits.minutes) * 60_000,
    tokens: limits.runTokens,
    dollars: { ...limits.dollars, run },
    faults: FAULTS_IN_A_ROW,
    outputTokens: limits.outputTokens,
  };
}
