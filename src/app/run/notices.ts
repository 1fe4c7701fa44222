import type { Notice } from '../../agent/agent-run.ts';
import { continuedNotice, threadResolved, sparseNotice } from '../../agent/prompts/notices.ts';
import { pullRequestContents } from '../../agent/prompts/others-pull-request.ts';
import type { Forge } from '../../contracts/forge.ts';
import type { Session } from '../../session/session.ts';
import { diffText } from '../../tools/git/diff-text.ts';
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

/** In a folder, nothing becomes a pull request. */
const templateOf = (parts: Parts): (() => Promise<readonly Notice[]>) =>
  parts.tracker.session.thread.folder === undefined
    ? templateNotices(parts)
    : () => Promise.resolve([]);

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
  { work, run }: Session,
  found: WorkspaceMerge | undefined,
): readonly Notice[] {
  if (found === undefined || work.merge?.theirs !== found.theirs) return [];
  const topic = `merge:${run?.number ?? 0}:${found.theirs}`;
  if (found.result === 'conflicts') return [{ topic, text: conflictTask(found) }];
  const { branch, failedTests } = work.merge;
  return failedTests === undefined ? [] : [{ topic, text: failedTestsTask(branch, failedTests) }];
}
