// Reviews that the agent writes on the pull request of someone else.
import { createHash } from 'node:crypto';
import type {
  ChangeToReview,
  Forge,
  LoggedCommit,
  OwnThread,
  VerdictOfReview,
} from '../../../contracts/forge.ts';
import { reviewContents } from '../../../agent/prompts/notices.ts';
import type { FileDiff } from '../../../contracts/git.ts';
import { GitHubDenied } from '../../../github/errors.ts';
import type { FoundOwnThread } from '../../../github/reviews/others-pull-requests.ts';
import { besideTheWork, TellModel } from '../../../lib/errors.ts';
import { withoutUndefined } from '../../../lib/without-undefined.ts';
import { shownPath } from '../../../lib/text/invisible.ts';
import { unquoted } from '../../../session/texts/markdown.ts';
import type { AdoptedPullRequestInSession } from '../../../session/parts/session-thread.ts';
import { isReviewed } from '../../../session/settings/review.ts';
import { diffText, newLinesSince, onlyNews } from '../../../tools/git/diffs.ts';
import type { SessionScope } from '../../service/service.ts';
import type { SessionOnGitHub } from './issues.ts';
import {
  allowedVerdict,
  blocksIn,
  MAX_REVIEWED_DIFF,
  MOST_FILES,
  openThreads,
  SETTLED,
  verdictOf,
  withdrawVerdicts,
} from './review-verdict.ts';
import type { TextRedactor } from '../../../lib/text/redact.ts';

/** Not accepted: a line that is not in the diff, say. */
const INVALID = 422;

interface ReviewParts extends SessionOnGitHub, TextRedactor {
  /** What the pull request changes, up to a commit. */
  readonly changeUpTo: (head?: string) => Promise<readonly FileDiff[]>;
  /** The files that the settings have reviewed. */
  readonly paths: readonly string[] | undefined;
  /** What the settings allow reviews to be. */
  readonly may: VerdictOfReview;
  /** As the settings name them. */
  readonly instructionFiles: readonly string[];
}

export function reviewsFor(parts: ReviewParts): Pick<Forge, 'submitReview' | 'changeToReview'> {
  const { tracker, github, pageUrl } = parts;
  const changeToReview = () => changeOf(parts);
  return {
    changeToReview,
    submitReview: async ({ number, summary, remarks, settled, at, ...wanted }) => {
      const { requests, work, run } = tracker.session;
      const head = work.head ?? '';
      const change = await changeOf(parts);
      const { threads } = change;
      const settledRoots = threads.filter((one) => settled.includes(one.number)).map(rootOf);
      if (settledRoots.length > 0) await github.resolveOwnThreads(number, settledRoots);
      const facts = { ...parts, change, threads, settledRoots };
      const isReview = run?.reviews !== undefined;
      const { verdict, note } = await allowedVerdict(facts, { ...wanted, remarks });
      const denied = isReview ? await withdrawVerdicts(facts, verdict) : undefined;
      const before = work.given.at(-1);
      const look = { head, comments: remarks.length };
      const isSilent = remarks.length === 0 && verdict === 'comment' && denied === undefined;
      if (change.news !== undefined && before !== undefined && isSilent)
        return { url: before.url, ...withoutUndefined({ id: before.id }), ...look };
      // The same for a call that is repeated after a crash, and another for any other call.
      const text = JSON.stringify([head, summary, remarks]);
      const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
      const notes = [
        isReview ? notSeenIn(change) : '',
        note === undefined ? '' : `**Not approved:** ${note}`,
        denied ?? '',
      ];
      try {
        const posted = await github.submitReview({
          session: tracker.id,
          key: `review:${at.getTime()}-${digest}`,
          body: [unquoted([summary, ...notes].filter((one) => one !== '').join('\n\n'))],
          mentions: requests.requester === undefined ? [] : [requests.requester.login],
          whole: pageUrl(tracker.id),
          number,
          commit: head,
          verdict,
          remarks,
        });
        const { id, url } = posted;
        return { id, url, ...verdictOf(posted), ...look, isPosted: true };
      } catch (error) {
        throw rejectedReview(error);
      }
    },
  };
}

function rejectedReview(error: unknown): unknown {
  if (!(error instanceof GitHubDenied) || error.status !== INVALID) return error;
  const message = `GitHub did not accept the review. ${error.message} The pull request may have changed: put everything into the summary.`;
  return new TellModel(message, { cause: error });
}

const rootOf = ({ root }: OwnThread): number => root;

interface ChangeWithThreads extends ChangeToReview {
  readonly threads: readonly (OwnThread & FoundOwnThread)[];
}

/** If none of the files is for reviews, all are: someone asked for one. */
async function changeOf({
  tracker,
  github,
  changeUpTo,
  paths,
  may,
}: ReviewParts): Promise<ChangeWithThreads> {
  const { run, work, thread } = tracker.session;
  const all = await changeUpTo();
  if (run?.reviews === undefined) return { files: all, leftOut: [], threads: [] };
  const wanted = all.filter(({ path }) => isReviewed(paths, path));
  const files = wanted.length === 0 ? all : wanted;
  const leftOut = all.filter((file) => !files.includes(file)).map(({ path }) => path);
  const before = work.given.at(-1)?.head;
  const threads = work.given.length === 0 ? [] : await threadsOf(tracker.session, github);
  if (run.reviews === 'all' || before === undefined || thread.adopted === undefined)
    return { files, leftOut, threads, may };
  const news = newLinesSince(await changeUpTo(before), files);
  return { files, leftOut, threads, news, may: may === 'approve' ? 'request_changes' : may };
}

/**
 * Dismisses requests for changes once people have resolved all threads of these reviews, without a run. Safe to repeat. If GitHub does
 * not let the App do it, people are told.
 */
export async function withdrawResolvedVerdicts(scope: SessionScope): Promise<void> {
  await besideTheWork(
    () => withdrawResolved(scope),
    (reason) => scope.service.log.info({ reason }, 'failed to look at the threads of reviews'),
  );
}

async function withdrawResolved({ tracker, github }: SessionScope): Promise<void> {
  const { thread, work } = tracker.session;
  const blocks = blocksIn(work.given).filter(({ isKept }) => isKept !== true);
  if (blocks.length === 0 || thread.adopted?.state !== 'open') return;
  const lastRun = tracker.entries.findLast(({ type }) => type === 'run_started')?.seq ?? 0;
  const isThreadResolved = tracker.entries.some(
    (entry) =>
      entry.type === 'received' &&
      entry.seq > lastRun &&
      entry.intent.kind === 'review_thread' &&
      entry.intent.isResolved,
  );
  if (!isThreadResolved) return;
  const open = await openThreads(github, await github.ownThreads(thread.issue));
  if (blocks.some(({ id }) => open.some(({ review }) => review === id))) return;
  for (const { id: review = 0 } of blocks) {
    const isDismissed = await besideTheWork(
      async () => {
        await github.dismissReview({ number: thread.issue, id: review, why: SETTLED });
        return true;
      },
      () => false,
    );
    const denied = isDismissed ? {} : ({ denied: true } as const);
    await tracker.append({ type: 'verdict_withdrawn', review, ...denied });
  }
}

/** Only of reviews that the journal knows: one that a crash cut off is told of when its call is repeated. */
async function threadsOf(
  { work, thread }: SessionOnGitHub['tracker']['session'],
  github: SessionOnGitHub['github'],
): Promise<ChangeWithThreads['threads']> {
  const known = new Set(work.given.map(({ id }) => id));
  const found = await github.ownThreads(thread.issue);
  return found
    .filter(({ review }) => known.has(review))
    .map((one, at) => ({ ...one, number: at + 1 }));
}

const MOST_NAMED = 10;

/** What nobody looked at, as far as the service knows. */
function notSeenIn({ files, leftOut }: ChangeToReview): string {
  const unseen = [
    ...leftOut.map((path) => `${code(path)} (by the settings)`),
    ...files.flatMap(({ path, hunks, why }) =>
      hunks === undefined ? [`${code(path)} (${WHY[why ?? 'not shown']})`] : [],
    ),
  ];
  const named = unseen.slice(0, MOST_NAMED);
  const more = unseen.length - named.length;
  if (more > 0) named.push(`${more} more`);
  if (files.length + leftOut.length >= MOST_FILES) named.push(`files beyond ${MOST_FILES}`);
  return named.length === 0 ? '' : `**Not looked at:** ${named.join(', ')}`;
}

const WHY = {
  binary: 'binary',
  'too much': 'too large',
  'not shown': 'binary, or too large',
  closed: 'closed by the settings',
} as const;

const code = (path: string): string => `\`${shownPath(path).replaceAll('`', "'")}\``;

/** What the model is told to review. */
export async function textToReview(
  forge: Pick<Forge, 'changeToReview'>,
  adopted: AdoptedPullRequestInSession,
  commits: readonly LoggedCommit[],
  redact: (text: string) => string,
): Promise<string> {
  const { files, leftOut, threads, news, may } = await forge.changeToReview();
  const shown = news === undefined ? files : onlyNews(files, news);
  const diff = redact(diffText(shown, MAX_REVIEWED_DIFF));
  const looksAgain = news !== undefined;
  return redact(reviewContents(adopted, { commits, diff, looksAgain, threads, leftOut, may }));
}
