import type { Notice } from '../../agent/agent-run.ts';
import { replacedCommit } from '../../session/parts/session-work.ts';
import {
  continuedNotice,
  lastRunNotice,
  testCommandNotice,
  threadResolved,
  sparseNotice,
} from '../../agent/prompts/notices.ts';
import {
  branchWords,
  pullRequestContents,
  pushedNotice,
} from '../../agent/prompts/others-pull-request.ts';
import type { Forge } from '../../contracts/forge.ts';
import type { RunEnd } from '../../contracts/entries.ts';
import { besideTheWork } from '../../lib/beside-the-work.ts';
import type { Entry, RunLimits } from '../../session/entry.ts';
import type { Session } from '../../session/session.ts';
import { diffText } from '../../tools/git/diff-text.ts';
import type { Tool } from '../../contracts/tool.ts';
import type { Ports } from '../../tools/ports.ts';
import { findTestCommand, missingProgram, runTests } from '../../tools/shell/run-tests.ts';
import { templateNotices, type TemplateParts } from './instructions/pull-request-template.ts';
import { openRound } from '../../session/parts/session-reviews.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { conflictTask, failedTestsTask } from '../../agent/prompts/merge.ts';
import type { WorkspaceMerge } from '../../contracts/git.ts';

/** Characters. */
const MAX_DIFF = 24_000;

interface Parts extends TemplateParts {
  readonly forge: Pick<Forge, 'branchChange'>;
}

/** What to tell the model of pull requests: of someone else's that it works on, or how its own should look. */
export const pullRequestNotices = (parts: Parts): (() => Promise<readonly Notice[]>) =>
  parts.tracker.session.thread.adopted === undefined ? templateOf(parts) : contents(parts);

/** What runs by hand before this one left, once in each run. */
export const continuedNotices = ({ thread, run }: Session): readonly Notice[] => {
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
  tools: readonly Pick<Tool, 'name'>[],
  ports: Pick<Ports, 'commands' | 'files'>,
  borrowed: readonly string[] = [],
): () => Promise<readonly Notice[]> {
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

/** In a folder, nothing becomes a pull request. */
const templateOf = (parts: Parts): (() => Promise<readonly Notice[]>) =>
  parts.tracker.session.thread.folder === undefined
    ? templateNotices(parts)
    : () => Promise.resolve([]);

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
function contents({ tracker, forge, redact }: Parts): () => Promise<readonly Notice[]> {
  let known: readonly Notice[] | undefined;
  return async () => {
    const { run, thread } = tracker.session;
    if (thread.adopted === undefined) return [];
    if (known !== undefined) return known;
    const { commits, files } = await forge.branchChange();
    const diff = redact(diffText(files, MAX_DIFF));
    const text = pullRequestContents(thread.adopted, commits, diff);
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
export function workspaceNotices(
  session: Session,
  { outside, merge }: Pick<Workspace, 'outside' | 'merge'>,
): readonly Notice[] {
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
