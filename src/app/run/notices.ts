import type { Notice } from '../../agent/agent-run.ts';
import { replacedCommit } from '../../session/parts/session-work.ts';
import {
  basedOnNotice,
  conflictTask,
  continuedNotice,
  duplicatesNotice,
  failedTestsTask,
  lastRunNotice,
  NO_PUSH,
  PLAN_FIRST,
  pullRequestContents,
  pullRequestTemplate,
  pushedNotice,
  sparseNotice,
  testCommandNotice,
  threadResolved,
} from '../../agent/prompts/notices.ts';
import type { FileLister } from '../../contracts/files.ts';
import type { Forge } from '../../contracts/forge.ts';
import type { RunEnd } from '../../contracts/entries.ts';
import { besideTheWork, TellModel, TellPerson, TryLater, unless } from '../../lib/errors.ts';
import type { RunServers } from '../../mcp/index.ts';
import type { Entry, RunLimits } from '../../session/entry.ts';
import type { Session } from '../../session/session.ts';
import { textToReview } from './ports/reviews-of-others.ts';
import { diffText } from '../../tools/git/diffs.ts';
import type { NamedTool } from '../../contracts/tool.ts';
import type { Needs } from '../../tools/define-tool.ts';
import { findTestCommand, missingProgram, runTests } from '../../tools/shell/run-tests.ts';
import { basedOn } from '../../session/merging.ts';
import { duplicateLines } from '../../session/texts/duplicates-found.ts';
import {
  readInstruction,
  shownInstructions,
  type InstructionFile,
  type InstructionSource,
} from './instructions/repository-instructions.ts';
import { waitsForApproval } from './plan/offered-tools.ts';
import { mayNotPush } from '../../session/merging.ts';
import { openRound } from '../../session/parts/session-reviews.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { WorkspaceMerge } from '../../contracts/git.ts';
import { branchWords } from '../../agent/prompts/item.ts';

/** What the notices of a run are made from. */
interface NoticeSources
  extends InstructionSource, Pick<Workspace, 'outside' | 'merge'>, Needs<'commands' | 'files'> {
  readonly tracker: { readonly session: Session; readonly entries: readonly Entry[] };
  readonly forge: Pick<Forge, 'branchChange' | 'changeToReview' | 'log'>;
  readonly servers: Pick<RunServers, 'unavailable'>;
  /** Instructions of the folders that the model works in. */
  readonly folders: { readonly next: () => Promise<readonly Notice[]> };
  /** Its tools. */
  readonly tools: readonly NamedTool[];
}

type Notices = () => Promise<readonly Notice[]>;

/**
 * All that the service has to say to the model of a run, in this order; it is told each topic once. `borrowed`: directories
 * that commands see beside those of the workspace.
 */
export function noticesOfRun(sources: NoticeSources, borrowed?: readonly string[]): Notices {
  const { tracker, forge, servers, folders, tools } = sources;
  const ofTests = testNotices(tools, sources, borrowed);
  const ofPullRequests = pullRequestNotices(sources);
  return async () => {
    const first = [
      ...serverNotices(servers),
      ...OF_SESSION.flatMap((noticesOf) => noticesOf(tracker.session, tracker.entries)),
      ...(await pushedNotices(tracker.session, forge)),
      ...workspaceNotices(tracker.session, sources),
    ];
    // Nothing is run before the plan is approved.
    const tests = waitsForApproval(tracker.session) ? [] : ofTests();
    const last = await Promise.all([tests, folders.next(), ofPullRequests()]);
    return [...first, ...last.flat()];
  };
}

/** Characters. */
const MAX_DIFF = 24_000;

/** What to tell the model of pull requests: of someone else's that it works on, or how its own should look. */
function pullRequestNotices(sources: NoticeSources): Notices {
  const { adopted, folder } = sources.tracker.session.thread;
  if (adopted !== undefined) return contents(sources);
  // In a folder, nothing becomes a pull request.
  return folder === undefined ? templateNotices(sources) : () => Promise.resolve([]);
}

/** What runs by hand before this one left, once in each run. */
const continuedNotices = ({ thread, run }: Session): readonly Notice[] => {
  if (thread.byHand?.continues !== true) return [];
  const text = continuedNotice(thread.pullRequest?.number);
  return [{ topic: `continued:${run?.number ?? 0}`, text }];
};

const PLAIN_WORDS = /^[\w./:=@-]{1,60}(?: [\w./:=@-]{1,60}){0,7}$/;

/**
 * What runs the tests, told once to whoever has the tool for it; looked up once in a run. `borrowed`: directories that
 * commands see beside those of the workspace.
 */
export function testNotices(
  tools: readonly NamedTool[],
  ports: Needs<'commands' | 'files'>,
  borrowed: readonly string[] = [],
): Notices {
  let notices: Promise<readonly Notice[]> | undefined;
  return () => (notices ??= find());

  async function find(): Promise<readonly Notice[]> {
    if (!tools.some(({ name }) => name === runTests.name)) return [];
    const command = (await findTestCommand(ports)) ?? '';
    if (!PLAIN_WORDS.test(command)) return [];
    const isBorrowed = borrowed.includes('node_modules');
    const missing = isBorrowed ? undefined : await missingProgram(ports, command);
    return [{ topic: 'tests', text: testCommandNotice(command, missing) }];
  }
}

/** How the run before this one ended, once in each run that reads its conversation. */
export function lastRunNotices(
  { run, work, thread }: Session,
  entries: readonly Entry[],
): readonly Notice[] {
  if (run === undefined || run.afresh) return [];
  const begun = entries.findLastIndex(({ type }) => type === 'run_started');
  const before = entries.slice(0, Math.max(0, begun));
  // One that ended before it began did nothing that could be told.
  const last = before.findLast((entry) => entry.type === 'run_ended' && !isStillLimited(entry.end));
  if (last?.type !== 'run_ended' || !isCutShort(last.end)) return [];
  const saved = before
    .flatMap((entry) =>
      entry.type === 'work_saved' && entry.run === last.run ? entry.effects : [],
    )
    .findLast((effect) => effect.type === 'commit')?.sha;
  const isLaidOut = saved !== undefined && replacedCommit(work) === saved;
  const former = before.findLast((entry) => entry.type === 'run_prepared')?.limits ?? {};
  const changed = changedLimits(former, run.limits);
  const { kind, reason } = last.end;
  const branch = branchWords(thread.adopted);
  const text = lastRunNotice({ kind, reason, saved, isLaidOut, changed, branch });
  return [{ topic: `last-run:${run.number}`, text }];
}

const isStillLimited = (end: RunEnd): boolean => end.kind === 'limit' && end.isStill === true;

type CutShort = Extract<RunEnd, { kind: 'stopped' | 'limit' | 'failed' }>;

const isCutShort = (end: RunEnd): end is CutShort =>
  end.kind === 'stopped' || end.kind === 'limit' || end.kind === 'failed';

const LIMITS: readonly (readonly [keyof RunLimits, string])[] = [
  ['turns', 'model replies'],
  ['minutes', 'minutes'],
  ['tokens', 'tokens'],
  ['dollars', 'dollars'],
  ['issueDollars', 'dollars for the issue'],
];

const changedLimits = (before: RunLimits, now: RunLimits): readonly string[] =>
  LIMITS.filter(([name]) => before[name] !== now[name]).map(
    ([name, words]) =>
      `${now[name] ?? 'any number of'} ${words} (before: ${before[name] ?? 'any'})`,
  );

const MOST_PUSHED = 30;

/** What others pushed since the commit that the model has read, if that is still on the branch. */
export async function pushedNotices(
  { work, run, thread }: Session,
  forge: Pick<Forge, 'log'>,
): Promise<readonly Notice[]> {
  const { workspaceReplaced, replacedFrom, head } = work;
  if (!workspaceReplaced || replacedFrom === undefined || head === undefined) return [];
  const commits = await besideTheWork(
    () => forge.log({ limit: MOST_PUSHED + 1 }),
    () => [],
  );
  const known = commits.findIndex(({ sha }) => sha === replacedFrom);
  if (known < 1) return [];
  const text = pushedNotice(commits.slice(0, known), branchWords(thread.adopted));
  return [{ topic: `pushed:${run?.number ?? 0}:${head}`, text }];
}

/** Once in each run. */
function contents({ tracker, forge, redact }: NoticeSources): Notices {
  let known: readonly Notice[] | undefined;
  return async () => {
    const { run, thread } = tracker.session;
    if (thread.adopted === undefined) return [];
    if (known !== undefined) return known;
    const { commits, files } = await forge.branchChange();
    const text =
      run?.reviews === undefined
        ? pullRequestContents(thread.adopted, commits, redact(diffText(files, MAX_DIFF)))
        : await textToReview(forge, thread.adopted, commits, redact);
    known = [{ topic: `pull-request:${run?.number ?? 0}`, text }];
    return known;
  };
}

/** Nobody waits for an answer in those that were resolved in the meantime. */
export function threadNotices({ reviews }: Session): readonly Notice[] {
  const round = openRound(reviews);
  if (round === undefined) return [];
  const wereOpen = round.threads.filter(({ wasResolved }) => !wasResolved);
  const inRound = new Set(wereOpen.map(({ thread }) => thread));
  return reviews.threads
    .filter(({ number, isResolved }) => isResolved && inRound.has(number))
    .map(({ number }) => ({
      topic: `thread-resolved:${round.number}:${number}`,
      text: threadResolved(number),
    }));
}

/** Tells the model what of the repository its workspace has: a part of it, or a merge. */
function workspaceNotices(session: Session, { outside, merge }: NoticeSources): readonly Notice[] {
  const merged = mergeNotices(session, merge);
  if (outside.length === 0) return merged;
  const text = sparseNotice(outside.toSorted());
  return [{ topic: `sparse:${session.run?.number ?? 0}`, text }, ...merged];
}

/** What the agent is told of the merge in its workspace, once in each run. */
function mergeNotices(
  { work, run, thread }: Session,
  found: WorkspaceMerge | undefined,
): readonly Notice[] {
  if (found === undefined || work.merge?.theirs !== found.theirs) return [];
  const topic = `merge:${run?.number ?? 0}:${found.theirs}`;
  const ours = branchWords(thread.adopted);
  if (found.result === 'conflicts') return [{ topic, text: conflictTask(found, ours) }];
  const { branch, failedTests } = work.merge;
  if (failedTests === undefined) return [];
  return [{ topic, text: failedTestsTask(branch, failedTests, ours) }];
}

// The repository's form for pull requests.

/** Where GitHub looks for one, in its order. */
const TEMPLATE_FOLDERS = ['.github', '.', 'docs'];
const TEMPLATE_NAME = /^pull_request_template(?:\.(?:md|txt))?$/i;
const MAX_TEMPLATE_BYTES = 8 * 1024;

interface TemplateSources extends InstructionSource {
  /** The workspace's: tells whether there is one. What it says comes from the default branch. */
  readonly files: FileLister;
  readonly tracker: { readonly session: Session };
}

/**
 * What to tell the model of the repository's form for pull requests, while none is open. Not in the
 * first request: a run that only asks or answers does not need it, and no run opens one before it has
 * read anything.
 */
export function templateNotices(sources: TemplateSources): Notices {
  let known: readonly Notice[] | undefined;
  return async () => {
    const {
      run,
      thread: { pullRequest },
    } = sources.tracker.session;
    if (pullRequest?.state === 'open' || (run?.turns ?? 0) === 0) return [];
    try {
      known ??= (await readTemplate(sources)).map(templateNotice);
    } catch (error) {
      if (error instanceof TryLater) return [];
      if (!(error instanceof TellPerson)) throw error;
      known = [];
    }
    return known;
  };
}

/** Its questions are often HTML comments: whoever opens a pull request by hand sees them while writing. */
async function readTemplate(sources: TemplateSources): Promise<readonly InstructionFile[]> {
  for (const folder of TEMPLATE_FOLDERS) {
    const listed = (await unless(TellModel, sources.files.list(folder))) ?? [];
    const name = listed.find((one) => TEMPLATE_NAME.test(one.name))?.name;
    const path = folder === '.' ? name : `${folder}/${name}`;
    if (name === undefined || path === undefined) continue;
    const file = await readInstruction(sources, path, { hasComments: true });
    return file === undefined ? [] : [file];
  }
  return [];
}

const templateNotice = (file: InstructionFile): Notice => ({
  topic: 'pull-request-template',
  text: pullRequestTemplate(file.path, shownInstructions(file, MAX_TEMPLATE_BYTES)),
});

/** While people agree to the plan first, once in each run. */
const planNotices = (session: Session): readonly Notice[] =>
  waitsForApproval(session)
    ? [{ topic: `plan-first:${session.run?.number ?? 0}`, text: PLAN_FIRST }]
    : [];

/** The pull request below, once in each run. */
function baseNotices(session: Session): readonly Notice[] {
  const base = basedOn(session);
  if (base === undefined) return [];
  return [{ topic: `base:${base.pullRequest}`, text: basedOnNotice(base.pullRequest) }];
}

/** What looks like the same work, once in each run. */
const duplicateNotices = ({ work: { duplicates } }: Session): readonly Notice[] =>
  duplicates.length === 0
    ? []
    : [{ topic: 'duplicates', text: duplicatesNotice(duplicateLines(duplicates)) }];

const pushNotices = (session: Session): readonly Notice[] =>
  mayNotPush(session) ? [{ topic: `no-push:${session.run?.number ?? 0}`, text: NO_PUSH }] : [];

/** Those that follow from the session alone. */
const OF_SESSION = [
  planNotices,
  continuedNotices,
  baseNotices,
  duplicateNotices,
  threadNotices,
  pushNotices,
  lastRunNotices,
];

/** Not with their reasons, which are words of servers. */
const serverNotices = ({ unavailable }: NoticeSources['servers']): readonly Notice[] =>
  unavailable.map((name) => ({
    topic: `mcp:${name}`,
    text: `The MCP server "${name}" is not available. This run works without its tools.`,
  }));
