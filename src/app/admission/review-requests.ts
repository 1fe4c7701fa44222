// Whether a pull request of someone else is reviewed, if nobody asks for that in words.
import type { Intent } from '../../contracts/intent.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { FoundPullRequest } from '../../github/reviews/others-pull-requests.ts';
import type { Entry, EntryOf, RejectionReason } from '../../session/entry.ts';
import { stopSince } from '../../session/fold/latest.ts';
import { entryAt, verdictsIn } from '../../session/kept-entries.ts';
import { momentOf } from '../../session/moment.ts';
import { isSameLabel } from '../../session/github-names.ts';
import { isAskedForAll } from '../../session/said/asks.ts';
import { REVIEW_ROUNDS } from '../../session/settings/fields.ts';
import { isReviewed } from '../../session/settings/review.ts';
import type { ReceivedIntent } from '../../session/session.ts';
import type { TrackedJournal } from '../service/journal-tracker.ts';
import type { Service } from '../service/service.ts';
import type { Rules } from './settings.ts';
import type { ShownTexts } from './shown-texts.ts';
import { isOurs } from './starts.ts';
import { isAllowedBot, mayAsk, type AskingAccount, type KnownRoles } from './who-may.ts';

type Start = Extract<Intent, { kind: 'start' }>;

interface ReviewRequestScope {
  readonly github: Pick<
    GitHubRepository,
    'appSlug' | 'issueState' | 'pullRequest' | 'permissionOf' | 'changeSince'
  >;
  readonly tracker: TrackedJournal;
  readonly texts: Pick<ShownTexts, 'fetchedIssue'>;
  readonly rules: Rules;
  readonly allowedBots: Service['allowedBots'];
  readonly permissions: KnownRoles;
}

/** Why a label, a request for a review, a new pull request or a push starts no review. */
export async function againstReview(
  { sender }: ReceivedIntent,
  intent: Start,
  parts: ReviewRequestScope,
): Promise<RejectionReason | undefined> {
  const { review, assignee = '', label } = intent;
  const { rules, github, tracker, texts } = parts;
  const isOff = rules.review.when === 'off';
  const isAsked = review === 'label' || review === 'request';
  if (isOff && !isAsked) return 'no_review';
  if (review === 'label' && !isSameLabel(label, rules.label)) return 'other_label';
  if (review === 'request' && !(await isOurs(assignee, github))) return 'other_assignee';
  const { issue } = tracker.session.thread;
  const now = await github.pullRequest(issue);
  if (now === undefined || now.isOwn) return 'own_pull_request';
  const state = await github.issueState(issue);
  texts.fetchedIssue(state);
  if (!now.isOpen) return 'outdated';
  const { run, work } = tracker.session;
  const isHeadUnderReview =
    run?.reviews !== undefined && run.end === undefined && work.head === now.head;
  if (isHeadUnderReview) return 'duplicate';
  if (!isAsked) return (await isWantedBySettings(intent, now, parts)) ? undefined : 'no_review';
  const isStill =
    review === 'label'
      ? state.labels.some((one) => isSameLabel(one, label))
      : now.reviewers.includes(assignee);
  if (!isStill) return 'outdated';
  if (!(await mayRequest(sender, parts))) return 'not_permitted';
  return isOff ? 'reviews_off' : undefined;
}

/** Nobody asks for it now: the settings do, or whoever asked for the review before this push. */
async function isWantedBySettings(
  { review, author }: Start,
  now: FoundPullRequest,
  parts: ReviewRequestScope,
): Promise<boolean> {
  const { thread, work } = parts.tracker.session;
  const { when, drafts } = parts.rules.review;
  if (work.given.at(-1)?.head === now.head) return false;
  if (review === 'pushed' && !mayLookAgain(parts)) return false;
  const wasAsked = thread.label !== '' || thread.assignee !== undefined;
  if (review !== 'pushed' || !wasAsked) {
    if (when !== 'opened' && when !== 'ready') return false;
    if (now.isDraft && (when === 'ready' || !drafts)) return false;
    if (!(await mayRequest({ login: now.author, id: author?.id }, parts))) return false;
  }
  return changesReviewedFiles(now, parts);
}

/** There was a review before, nobody stopped them, and there were not too many since someone asked. */
function mayLookAgain({ tracker: { session, entries }, rules }: ReviewRequestScope): boolean {
  const { work, run } = session;
  const asked = askedLast(entries);
  if (asked === undefined || stopSince(session, momentOf(asked)) !== undefined) return false;
  const isAfterReview = work.given.length > 0 || run?.reviews !== undefined;
  const runs = entries.filter(({ type, seq }) => type === 'run_started' && seq > asked.seq);
  return isAfterReview && runs.length - 1 < (rules.limits.review_rounds ?? REVIEW_ROUNDS);
}

/** When a review was last asked for, or the pull request opened. */
function askedLast(entries: readonly Entry[]): EntryOf<'received'> | undefined {
  const verdicts = verdictsIn(entries);
  return entries
    .filter((entry) => entry.type === 'received')
    .findLast(({ seq, intent }) => isAskedForAll(intent) && verdicts.get(seq)?.type === 'admitted');
}

async function changesReviewedFiles(
  now: FoundPullRequest,
  parts: ReviewRequestScope,
): Promise<boolean> {
  const { paths } = parts.rules.review;
  if (paths === undefined) return true;
  const { files } = await parts.github.changeSince(now.baseBranch, now.head);
  return files.some(({ path }) => isReviewed(paths, path));
}

async function mayRequest(
  account: AskingAccount & { readonly bot?: true },
  { github, rules, allowedBots, permissions }: ReviewRequestScope,
): Promise<boolean> {
  const isBot = account.bot === true || account.login.endsWith('[bot]');
  return isBot
    ? isAllowedBot(account, allowedBots)
    : mayAsk(github, account, rules.who, permissions);
}

/** Who pushes may push again: what follows closely is looked at together. */
export function gatherAfterPush(
  { seq, intent }: ReceivedIntent,
  entries: readonly Entry[],
  { comment_wait: wait }: Rules,
): { readonly gatherUntil?: string } {
  if (intent.kind !== 'start' || intent.review !== 'pushed') return {};
  const at = Date.parse(entryAt(entries, seq)?.at ?? '');
  return { gatherUntil: new Date(at + wait * 1000).toISOString() };
}
