import type { Limits } from '../../agent/limits.ts';
import { languageSection } from '../../agent/prompts/system.ts';
import type { RunMode } from '../../contracts/entries.ts';
import { isServerTool } from '../../lib/server-tool-name.ts';
import { TellPerson } from '../../lib/errors.ts';
import { branchOf } from '../../session/github-names.ts';
import type { EntryOf } from '../../session/entry.ts';
import { trailersOf } from '../../session/trailers.ts';
import { steeringFiles, type RepositorySettings } from '../../session/settings/index.ts';
import type { StoredChange } from '../../contracts/files.ts';
import { chooseTools } from '../../tools/choose-tools.ts';
import { commandsOf } from './ports/workspace-commands.ts';
import type { CommandSettings } from '../../tools/ports.ts';
import { TOOLS } from '../../tools/index.ts';
import type { PathSettings } from '../../workspace/files/repository-paths.ts';
import { resolveRemote } from '../../workspace/git/remote.ts';
import {
  promptSection,
  readInstructions,
  sourceOf,
} from './instructions/repository-instructions.ts';
import type { Destination } from './ports/forge.ts';
import type { Operator } from '../service/service.ts';
import { modelOf, reviewModelOf } from './choose-models.ts';
import type { PlanScope } from './scope.ts';
import { closesPaths, planServers, type ServersPlan } from './plan-servers.ts';
import { comesPlanFirst } from './plan-first.ts';
import { settingsFor, type FollowedSettings } from '../admission/settings.ts';

interface Base {
  readonly branch: string;
  readonly baseBranch: string;
  readonly commit: string;
}

/** What a run is to work with, settled before the clone. */
export interface RunPlan {
  readonly model: string;
  readonly mode: RunMode;
  /** The model that reviews the change before it is submitted; `undefined`: none does. */
  readonly reviewModel: string | undefined;
  readonly protocol: Operator['protocol'];
  readonly limits: Limits;
  /** The names of the tools that it has. */
  readonly tools: ReadonlySet<string>;
  /** The MCP servers, whose tools it has besides. */
  readonly servers: ServersPlan;
  readonly commands: CommandSettings;
  readonly instructionFiles: readonly string[];
  /** What the repository lets be read and written. */
  readonly paths: PathSettings;
  /** What they say, for the system prompt; of no use once the run is prepared. */
  readonly guidance: string;
  /** What of the repository's settings is not followed, and why. Markdown. */
  readonly warnings: readonly string[];
  /** People agree to its plan before it changes anything. */
  readonly planFirst: boolean;
  /** The next issue is started once it has finished. */
  readonly continuous: boolean;
  /** The least role of those who may request work. */
  readonly who: RepositorySettings['who'];
  readonly questionTimeout: RepositorySettings['question_timeout'];
  readonly base: Base;
  readonly destination: Destination;
  /** Lines at the end of each commit message. */
  readonly trailers: readonly string[];
  /** What was changed in the workspace and not committed. */
  readonly changes: readonly StoredChange[];
  /** How the run was prepared before it was interrupted; `undefined` for a new one. */
  readonly prepared: EntryOf<'run_prepared'> | undefined;
}

/** Unreadable replies in a row that are answered before the run fails. */
const FAULTS_IN_A_ROW = 3;

/**
 * An interrupted run continues as it was prepared, unless its model is no longer offered; a new one
 * follows the repository's settings.
 * @throws {TellPerson} for settings that cannot be followed
 */
export async function planRun(scope: PlanScope): Promise<RunPlan> {
  const { tracker, github, service } = scope;
  const { operator, store } = service;
  const { run, work } = tracker.session;
  const { head, uncommittedSince } = work;
  const read = await settingsFor(github, tracker.session.thread.repository);
  const { settings } = read;
  const asked = followed(read, service);
  const changes = await store.changes(tracker.id, uncommittedSince);
  const prepared = tracker.entries.findLast((entry) => entry.type === 'run_prepared');
  const isOffered = prepared !== undefined && operator.models.includes(prepared.model);
  if (isOffered && prepared.run === run?.number) {
    const { model, mode, reviewer, branch, baseBranch, baseCommit, trailers = [] } = prepared;
    const base = { branch, baseBranch, commit: head ?? baseCommit };
    const destination = destinationOf(settings, base);
    const planFirst = prepared.planFirst === true;
    const rest = { guidance: '', base, destination, trailers, changes, prepared };
    return { ...asked, model, mode, reviewModel: reviewer?.model, planFirst, ...rest };
  }
  const [base, guidance, planFirst] = await Promise.all([
    baseOf(scope, read, changes.length > 0),
    guidanceFor(scope, settings, asked.instructionFiles),
    comesPlanFirst(scope, settings),
  ]);
  const model = modelOf(read, operator);
  const mode = operator.mode === 'agent' ? settings.mode : operator.mode;
  // Changes were made on one commit: on another they would undo what people did there.
  const kept = base.commit === head ? changes : [];
  return {
    ...asked,
    model,
    mode,
    reviewModel: reviewModelOf(read, operator, model),
    planFirst,
    guidance,
    base,
    destination: destinationOf(settings, base),
    trailers: trailersFor(scope, settings),
    changes: kept,
    prepared: undefined,
  };
}

/** What the settings say for new and for resumed runs alike. */
const followed = (read: FollowedSettings, { operator, shells, servers }: PlanScope['service']) => ({
  protocol: protocolOf(read.settings, operator),
  limits: limitsOf(read.settings, operator),
  tools: toolsOf(read, shells !== undefined),
  servers: planServers(read, servers, {
    allowsDangerous: shells !== undefined,
    onlyByName: closesPaths(read),
  }),
  commands: commandsOf(read.settings),
  instructionFiles: read.settings.instructions ?? operator.instructionFiles,
  paths: pathsOf(read.settings, operator),
  warnings: read.warnings,
  continuous: read.settings.continuous,
  who: read.settings.who,
  questionTimeout: read.settings.question_timeout,
});

async function guidanceFor(
  scope: PlanScope,
  { language }: RepositorySettings,
  files: readonly string[],
): Promise<string> {
  const section = promptSection(await readInstructions(sourceOf(scope), files));
  const parts = [section, language === undefined ? '' : languageSection(language)];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Whoever writes an agent's instructions decides what the next run does: an agent needs leave for that. */
const pathsOf = (
  { paths = {}, instructions = [], edit_instructions: mayEdit }: RepositorySettings,
  { instructionFiles }: Operator,
): PathSettings => ({
  ...paths,
  readOnly: mayEdit ? [] : steeringFiles([...instructionFiles, ...instructions]),
});

const destinationOf = (
  { draft, reviewers }: RepositorySettings,
  { baseBranch }: Base,
): Destination => ({ baseBranch, draft, reviewers });

const trailersFor = (
  { tracker, github }: PlanScope,
  { commits }: RepositorySettings,
): readonly string[] =>
  trailersOf({
    requester: tracker.session.requests.requester,
    settings: commits,
    hostname: new URL(github.gitUrl).hostname,
  });

/**
 * A command can read every file. So if some are closed to the agent, those who closed them have to
 * ask for dangerous tools by name.
 */
function toolsOf(read: FollowedSettings, allowsDangerous: boolean): ReadonlySet<string> {
  const { settings, source } = read;
  const ours = Object.entries(settings.tools).filter(([name]) => !isServerTool(name));
  const choice = chooseTools(TOOLS, new Map(ours), {
    allowsDangerous,
    onlyByName: closesPaths(read),
    hasSkills: true,
  });
  if ('names' in choice) return choice.names;
  throw new TellPerson(`${source} ${choice.fault}`);
}

/** The operator's choice counts; without one, the repository chooses. */
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
 * The commit at which a new run begins: the head of the session's branch, to which people may have pushed; or
 * the commit at which its uncommitted work began; or the head of the base branch.
 */
async function baseOf(
  scope: PlanScope,
  { settings: { base: wanted }, source }: FollowedSettings,
  hasUncommitted: boolean,
): Promise<Base> {
  const { tracker, github, signal } = scope;
  const branch = branchOf(tracker.session);
  const remote = await resolveRemote({
    remoteUrl: github.gitUrl,
    credentials: (access, rejected) => github.gitToken(access, rejected),
    signal,
  });
  const baseBranch = wanted ?? remote.defaultBranch;
  if (wanted !== undefined && remote.head(wanted) === undefined)
    throw new TellPerson(
      `The setting \`base\` (in ${source}) is \`${wanted}\`, a branch that does not exist. Create it, or choose another.`,
    );
  const started = hasUncommitted ? tracker.session.work.head : undefined;
  const commit = remote.head(branch) ?? started ?? remote.head(baseBranch);
  if (commit === undefined) {
    throw new TellPerson(
      `The default branch \`${baseBranch}\` has no commits yet. Push a first commit to it, then request the work again.`,
    );
  }
  return { branch, baseBranch, commit };
}
