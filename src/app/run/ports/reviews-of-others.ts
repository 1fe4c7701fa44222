// Reviews that the agent writes on the pull request of someone else.
import { createHash } from 'node:crypto';
import type { ChangeToReview, Forge, LoggedCommit, OwnThread } from '../../../contracts/forge.ts';
import { reviewContents } from '../../../agent/prompts/notices.ts';
import type { FileDiff } from '../../../contracts/git.ts';
import { GitHubDenied } from '../../../github/errors.ts';
import { TellModel } from '../../../lib/errors.ts';
import { shownPath } from '../../../lib/text/invisible.ts';
import { unquoted } from '../../../session/texts/body.ts';
import type { Adopted } from '../../../session/parts/session-thread.ts';
import { isReviewed } from '../../../session/settings/review.ts';
import { newLinesSince, onlyNews } from '../../../tools/git/diff-news.ts';
import { diffText } from '../../../tools/git/diff-text.ts';
import type { SessionOnGitHub } from './issues.ts';

/** Not accepted: a line that is not in the diff, say. */
const INVALID = 422;

interface ReviewParts extends SessionOnGitHub {
  /** What the pull request changes, up to a commit. */
  readonly changeUpTo: (head?: string) => Promise<readonly FileDiff[]>;
  /** The files that the settings have reviewed. */
  readonly paths: readonly string[] | undefined;
}

export function reviewsFor(parts: ReviewParts): Pick<Forge, 'submitReview' | 'changeToReview'> {
  const { tracker, github, pageUrl } = parts;
  const changeToReview = () => changeOf(parts);
  return {
    changeToReview,
    submitReview: async ({ number, summary, remarks, settled, at }) => {
      const { requests, work, run } = tracker.session;
      const head = work.head ?? '';
      const change = await changeToReview();
      const roots = change.threads.filter((one) => settled.includes(one.number));
      if (roots.length > 0)
        await github.resolveOwnThreads(
          number,
          roots.map(({ root }) => root),
        );
      const before = work.given.at(-1);
      if (change.news !== undefined && before !== undefined && remarks.length === 0)
        return { ...before, comments: 0, head };
      // The same for a call that is repeated after a crash, and another for any other call.
      const text = JSON.stringify([head, summary, remarks]);
      const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
      const notSeen = run?.reviews === undefined ? '' : notSeenIn(change);
      try {
        const { id, url } = await github.submitReview({
          session: tracker.id,
          key: `review:${at.getTime()}-${digest}`,
          body: [unquoted(`${summary}${notSeen}`)],
          mentions: requests.requester === undefined ? [] : [requests.requester.login],
          whole: pageUrl(tracker.id),
          number,
          commit: head,
          remarks,
        });
        return { id, url, head, comments: remarks.length, isPosted: true };
      } catch (error) {
        if (!(error instanceof GitHubDenied) || error.status !== INVALID) throw error;
        const message = `GitHub did not accept the review. ${error.message} The pull request may have changed: put everything into the summary.`;
        throw new TellModel(message, { cause: error });
      }
    },
  };
}

/** If none of the files is for reviews, all are: someone asked for one. */
async function changeOf({
  tracker,
  github,
  changeUpTo,
  paths,
}: ReviewParts): Promise<ChangeToReview> {
  const { run, work, thread } = tracker.session;
  const all = await changeUpTo();
  if (run?.reviews === undefined) return { files: all, leftOut: [], threads: [] };
  const wanted = all.filter(({ path }) => isReviewed(paths, path));
  const files = wanted.length === 0 ? all : wanted;
  const leftOut = all.filter((file) => !files.includes(file)).map(({ path }) => path);
  const before = work.given.at(-1)?.head;
  const threads = work.given.length === 0 ? [] : await threadsOf(tracker.session, github);
  if (run.reviews === 'all' || before === undefined || thread.adopted === undefined)
    return { files, leftOut, threads };
  return { files, leftOut, threads, news: newLinesSince(await changeUpTo(before), files) };
}

/** Only of reviews that the journal knows: one that a crash cut off is told of when its call is repeated. */
async function threadsOf(
  { work, thread }: SessionOnGitHub['tracker']['session'],
  github: SessionOnGitHub['github'],
): Promise<readonly OwnThread[]> {
  const known = new Set(work.given.map(({ id }) => id));
  const found = await github.ownThreads(thread.issue);
  return found
    .filter(({ review }) => known.has(review))
    .map(({ review: _review, ...one }, at) => ({ ...one, number: at + 1 }));
}

/** GitHub compares no more. */
const MOST_FILES = 300;
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
  return named.length === 0 ? '' : `\n\n**Not looked at:** ${named.join(', ')}`;
}

const WHY = {
  binary: 'binary',
  'too much': 'too large',
  'not shown': 'binary, or too large',
  closed: 'closed by the settings',
} as const;

const code = (path: string): string => `\`${shownPath(path).replaceAll('`', "'")}\``;

/** Characters: whoever reviews reads all of it. */
const MAX_REVIEWED_DIFF = 60_000;

/** What the model is told to review. */
export async function textToReview(
  forge: Pick<Forge, 'changeToReview'>,
  adopted: Adopted,
  commits: readonly LoggedCommit[],
  redact: (text: string) => string,
): Promise<string> {
  const { files, leftOut, threads, news } = await forge.changeToReview();
  const shown = news === undefined ? files : onlyNews(files, news);
  const diff = redact(diffText(shown, MAX_REVIEWED_DIFF));
  const looksAgain = news !== undefined;
  return redact(reviewContents(adopted, { commits, diff, looksAgain, threads, leftOut }));
}
