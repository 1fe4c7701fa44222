// The check run on the head of the session's pull request, if the App may write checks.
import { createHash } from 'node:crypto';
import {
  MOST_ANNOTATIONS,
  type CheckRunAction,
  type LineNote,
} from '../../github/checks/check-runs.ts';
import { buttonsOf } from '../../session/checks/due.ts';
import type { Entry } from '../../session/entry.ts';
import { buttonId } from '../../session/github-names.ts';
import type { Session } from '../../session/session.ts';
import { isRunning } from '../../session/state.ts';
import { plainBody } from '../../session/texts/markdown.ts';
import { BUTTONS, checkRunText } from '../../session/texts/check-words.ts';
import { isBusy, shownFrom, type Publication, type View } from './publication.ts';

const CHECKS = { checks: 'write' } as const;
/** Older ones were superseded before. */
const MOST_COMMITS = 5;
const NOTHING = { id: 0, url: '' };

/** One for the head, while the pull request is open; of earlier commits, what is not settled ends as superseded. */
export function checkRuns(view: View): Publication[] {
  const { session } = view;
  const { head, commits } = session.work;
  if (session.thread.pullRequest?.state !== 'open' || head === undefined) return [];
  const shas = commits.slice(-MOST_COMMITS).map(({ sha }) => sha);
  const earlier = shas.filter((sha) => sha !== head);
  return [...earlier.map((sha) => superseded(view, sha, head)), current(view, head)];
}

function current({ session, entries, options }: View, head: string): Publication {
  const { summary, ...text } = checkRunText(session);
  const annotations = annotationsOf(session);
  const actions = actionsOf(session, entries);
  const again = [usesIn(entries), acceptancesIn(entries)];
  const busy = isBusy(session);
  // While a run works, it only says so: what has become of the plan is in it at the end.
  const said = busy ? [] : [text, plainBody(summary), annotations, actions];
  const all = JSON.stringify([said, again]);
  const digest = createHash('sha256').update(all).digest('hex');
  const isUnsettled = busy || buttonsOf(session).some((button) => button !== 'stop');
  return {
    key: `check:${head}`,
    digest: isUnsettled ? UNSETTLED + digest : digest,
    kind: 'check_run',
    duringWork: busy && (!isRunning(session) || onlyAnswers(session)) ? 'waits' : undefined,
    newFrom: newFrom(session),
    notBefore: shownFrom(session),
    publish: async (github, known) => {
      if ((await github.lacking(CHECKS)) !== undefined) return NOTHING;
      const at = { session: options.session, key: 'check', head, known, whole: options.pageUrl };
      const shown = await github.checkRun({ ...at, ...text, body: summary, annotations, actions });
      return shown ?? NOTHING;
    },
  };
}

/** Only questions are asked, and nothing was changed for them: what the check run says still holds, and nobody has to wait for a merge. */
function onlyAnswers({ requests, progress, work }: Session): boolean {
  const asked = [...requests.unread, ...requests.open];
  const hasChanges = progress.hasChangedFiles || work.merge !== undefined;
  return !hasChanges && asked.length > 0 && asked.every(({ isQuestion }) => isQuestion);
}

/** A run that ends right after its push shows that alone. */
const END_MS = 5_000;
/** Until a run ends, no more than one commit a minute gets one that says that it works. */
const NEXT_HEAD_MS = 60_000;

function newFrom(session: Session): Date | undefined {
  if (!isRunning(session) || !isBusy(session)) return undefined;
  const [last, before] = session.work.committedAt.map((at) => Date.parse(at)).toReversed();
  return last === undefined
    ? undefined
    : new Date(Math.max(last + END_MS, (before ?? 0) + NEXT_HEAD_MS));
}

/** How the digest of one begins that is in progress, or has buttons that are of no use on an earlier commit. */
const UNSETTLED = 'unsettled ';

/** It would stay in progress otherwise. What else it said at the end of a run stays true of its commit. */
const superseded = ({ options }: View, sha: string, head: string): Publication => ({
  key: `check:${sha}`,
  digest: 'superseded',
  kind: 'check_run',
  onlyAfter: UNSETTLED,
  publish: async (github, known) => {
    if (known === undefined || known === 0) return NOTHING;
    if ((await github.lacking(CHECKS)) !== undefined) return NOTHING;
    const words = `There is a newer commit: ${head}.`;
    const shown = await github.checkRun({
      session: options.session,
      key: 'check',
      head: sha,
      known,
      conclusion: 'neutral',
      title: 'Superseded',
      body: [words],
      annotations: [],
      actions: [],
    });
    return shown ?? NOTHING;
  },
});

const actionsOf = (session: Session, entries: readonly Entry[]): readonly CheckRunAction[] =>
  buttonsOf(session).map((button) => ({
    ...BUTTONS[button],
    identifier: buttonId(button, usesIn(entries)),
  }));

/**
 * How often someone used a button, or asked for the check run again. It is written after each use: GitHub queues the
 * suite of a check that was asked for again until its check run is written.
 */
const usesIn = (entries: readonly Entry[]): number =>
  entries.filter((entry) => entry.type === 'received' && entry.intent.kind === 'check_action')
    .length;

/** How often an owner accepted permissions: without `checks: write`, nothing was written before. */
const acceptancesIn = (entries: readonly Entry[]): number =>
  entries.filter(({ type }) => type === 'permissions_accepted').length;

/** What was found in the change as it is now. */
function annotationsOf({ work: { selfReview, changedSinceReview } }: Session): readonly LineNote[] {
  if (selfReview === undefined || changedSinceReview) return [];
  return selfReview.findings
    .flatMap(({ path, line, text }) =>
      path === undefined || line === undefined || line < 1 ? [] : [{ path, line, text }],
    )
    .slice(0, MOST_ANNOTATIONS);
}
