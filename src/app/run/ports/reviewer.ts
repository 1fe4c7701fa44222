// Who reviews the change of a session before people do, and what they read.
import { createHash } from 'node:crypto';
import { endByLimit, nearlyUsed } from '../../../agent/limits.ts';
import {
  beforeSubmitting,
  changeText,
  findingsIn,
  foundBefore,
  SELF_REVIEW_INSTRUCTIONS,
} from '../../../agent/prompts/separate-requests.ts';
import type { Finding, SelfReview } from '../../../contracts/effect.ts';
import type { Forge } from '../../../contracts/forge.ts';
import type { FileDiff } from '../../../contracts/git.ts';
import { NO_USAGE } from '../../../lib/no-usage.ts';
import { besideTheWork, TellPerson, TryLater } from '../../../lib/errors.ts';
import { cutMiddle, quoteLines } from '../../../lib/text/text.ts';
import { withoutUndefined } from '../../../lib/without-undefined.ts';
import { opensNothing } from '../../../lib/text/placeholder.ts';
import { hunksIn } from '../../../lib/text/unified-diff.ts';
import type { Entry, NewEntry } from '../../../session/entry.ts';
import type { Session } from '../../../session/session.ts';
import { testsObserved } from '../../../session/texts/runs.ts';
import { diffText } from '../../../tools/git/diffs.ts';
import type { ReviewResult, Reviewer, Secrets } from '../../../tools/define-tool.ts';
import type { JournalTracker } from '../../service/journal-tracker.ts';
import type { Service } from '../../service/service.ts';
import type { SessionStore } from '../../../store/store.ts';
import type { RunPlan } from '../plan/plan.ts';
import { spendingOf, stopwatch } from '../spending.ts';
import { reviewRequest } from './review-request.ts';
import type { Model, ModelReply } from '../../../contracts/model.ts';
import { ContextOverflow } from '../../../agent/model-errors.ts';
import { withoutThinking } from '../../../agent/protocols/protocol.ts';
import { shareOfWindow } from '../../../agent/relief.ts';

interface ReviewerDeps extends Pick<Service, 'openModel' | 'redact' | 'hide'> {
  readonly secrets: Secrets;
  readonly store: Pick<SessionStore, 'spent'>;
  readonly tracker: JournalTracker;
  readonly forge: Pick<Forge, 'branchChange'>;
}

/** The findings hold the change back once in a run: what the agent leaves then is for people. */
export const reviewerFor = (
  parts: ReviewerDeps,
  { reviewModel, limits, guidance }: Pick<RunPlan, 'reviewModel' | 'limits' | 'guidance'>,
): Reviewer => ({
  review: async ({ unpushed, summary, signal }) => {
    const { tracker, forge, openModel, redact, hide, secrets } = parts;
    const { work, run } = tracker.session;
    if (reviewModel === undefined) return undefined;
    const isOutdated = isOlderThanTests(work);
    const isSeen = work.selfReview !== undefined && !work.changedSinceReview;
    // By the last review, before it was pushed.
    const isHeadReviewed = isSeen && work.commits.at(-1)?.sha === work.head;
    const isPushed = unpushed.length === 0 && isHeadReviewed;
    if (isPushed && !isOutdated) return undefined;
    const model = await openModel(reviewModel);
    const { files, unread } = await besideTheWork<PushedChange>(
      () => forge.branchChange(),
      (reason) => ({ files: [], unread: reason }),
    );
    const room = roomFor(model);
    const requested = requestedIn(tracker, guidance, room);
    const words = { requested, summary, tests: testsObserved(tracker.session) };
    const change = changeOf({ files, unpushed, isSeen }, words, { room, hide });
    if (unread === undefined && change.paths.length === 0) return undefined;
    if (unread === undefined && work.selfReview?.change === change.digest && !isOutdated)
      return unpushed.length === 0 ? undefined : again(work.selfReview);
    const instead = unread ?? (await nearLimit(parts, limits));
    if (instead === undefined) await tracker.append(startedBy(reviewModel, run));
    const review = await reviewChange({
      model,
      change,
      instead,
      outputTokens: limits.outputTokens,
      cacheKey: `${tracker.id}:review`,
      redact,
      redactForModel: async (text) => (await secrets.hide(text)).text,
      signal,
    });
    const isSame = isPushed || work.selfReview?.change === change.digest;
    if (review.failure !== undefined && isSame && work.selfReview !== undefined)
      return again(work.selfReview, review);
    // What was found before was fixed or dismissed then; it is still shown to people.
    const isNews = review.findings.some((finding) => !isKnown(work.found, finding));
    const isHeld = isNews && run?.heldBack !== true;
    return {
      effect: { type: 'self_reviewed', ...review, ...(isHeld ? { heldBack: true } : {}) },
      heldBack: isHeld ? beforeSubmitting(review.findings) : undefined,
    };
  },
});

const startedBy = (model: string, run: Session['run']): NewEntry => ({
  type: 'self_review_started',
  run: run?.number ?? 0,
  model,
});

type PaidReview = Pick<SelfReview, 'usage' | 'cost' | 'durationMs'>;

const NOT_ASKED: PaidReview = { usage: NO_USAGE, cost: 0, durationMs: 0 };

/** The same review of the same change, which is committed only now, or could not be reviewed once more. */
const again = (
  { change, findings, failure }: SelfReview,
  { usage, cost, durationMs } = NOT_ASKED,
): ReviewResult => ({
  effect: {
    type: 'self_reviewed',
    change,
    findings,
    ...withoutUndefined({ failure }),
    usage,
    cost,
    durationMs,
  },
  heldBack: undefined,
});

/** What was pushed, or why GitHub does not show it. */
interface PushedChange {
  readonly files: readonly FileDiff[];
  readonly unread?: string;
}

const requestedIn = (
  { session, entries }: JournalTracker,
  guidance: string,
  room: number,
): string =>
  [
    reviewRequest(session, entries),
    instructionsFor(guidance, room),
    foundBefore(session.work.found, saidSince(entries)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');

/** A finding may be about what was not seen to run then. */
const isOlderThanTests = ({ selfReview, testedSinceReview }: Session['work']): boolean =>
  testedSinceReview && selfReview !== undefined && selfReview.findings.length > 0;

const instructionsFor = (guidance: string, room: number): string =>
  guidance === ''
    ? ''
    : `# The instructions of the repository\n\n${quoteLines(cutMiddle(guidance, room * GUIDANCE_SHARE))}`;

/** Of the room: the agent has read all of them. */
const GUIDANCE_SHARE = 0.1;

/** Near its limits a run has to end, not to begin another round. */
async function nearLimit(
  { tracker, store }: ReviewerDeps,
  limits: RunPlan['limits'],
): Promise<string | undefined> {
  const spent = {
    ...tracker.session.progress.used,
    elapsedMs: stopwatch(tracker.session.progress)(),
    spending: await spendingOf({ tracker, store }, limits.dollars)(),
  };
  const near = nearlyUsed(limits, spent);
  if (near !== undefined) return `${near.percent} % of the limit of ${near.name} was used.`;
  const end = endByLimit(limits, spent);
  return end?.kind === 'deferred' && end.cause.because === 'limit'
    ? `The limit of ${end.cause.limit} was reached.`
    : undefined;
}

/** What the agent said since the last review, in its own words: why it left what it left. */
function saidSince(entries: readonly Entry[]): string {
  const last = entries.findLastIndex(
    (entry) =>
      entry.type === 'call_finished' && entry.effects.some(({ type }) => type === 'self_reviewed'),
  );
  const said = entries
    .slice(last < 0 ? entries.length : last)
    .flatMap((entry) => (entry.type === 'reply' ? [entry.thought.trim()] : []))
    .filter((text) => text !== '');
  return cutMiddle(said.join('\n'), MAX_SAID);
}

/** Characters. */
const MAX_SAID = 4_000;

const isKnown = (known: readonly Finding[], { path, text }: Finding): boolean =>
  known.some((one) => one.path === path && one.text === text);

/** They are seldom longer; the rest of the room is for the diff. */
const SHARES = { requested: 0.25, summary: 0.05, tests: 0.05 };

interface ChangeOptions {
  /** Characters. */
  readonly room: number;
  readonly hide: Service['hide'];
}

interface Diffs {
  /** Of the branch, as it is pushed. */
  readonly files: readonly FileDiff[];
  /** On top of that. */
  readonly unpushed: readonly FileDiff[];
  /** The branch was reviewed as it is pushed. */
  readonly isSeen: boolean;
}

function changeOf(
  { files, unpushed, isSeen }: Diffs,
  words: Readonly<Record<keyof typeof SHARES, string>>,
  { room, hide }: ChangeOptions,
): ReviewedChange {
  const cut = (of: keyof typeof SHARES): string => cutMiddle(words[of], room * SHARES[of]);
  const known = { requested: cut('requested'), summary: cut('summary'), tests: cut('tests') };
  const isOne = unpushed.length === 0 || files.length === 0;
  const left = room - Object.values(known).join('').length;
  const onTop = isOne ? '' : diffText(unpushed, left / 2);
  const first = files.length === 0 ? unpushed : files;
  const last = new Set(unpushed.map(({ path }) => path));
  const all = isOne ? first : { files, unpushed };
  const pushed = files.filter(({ path }) => !last.has(path));
  return {
    digest: createHash('sha256').update(JSON.stringify(all)).digest('hex'),
    text: changeText(known, { diff: diffText(first, left - onTop.length), onTop, isSeen }),
    paths: [...new Set([...files, ...unpushed].map(({ path }) => path))],
    findings: [...pushed, ...unpushed].flatMap((file) => secretsIn(file, hide)),
  };
}

const SECRET =
  'This looks like a secret. Remove it, and say in the summary that whoever owns it has to revoke it.';

/** One for each hunk that adds what looks like a secret, and may open something. */
export function secretsIn(
  { path, hunks = '' }: FileDiff,
  hide: ChangeOptions['hide'],
): readonly Finding[] {
  return hunksIn(hunks).flatMap(({ newStart, lines }) => {
    const after = lines.filter((line) => !line.startsWith('-'));
    const places = after.flatMap((line, at) => (line.startsWith('+') ? [at] : []));
    const added = places.map((at) => after[at]?.slice(1)).join('\n');
    const { text } = hide(added, opensNothing);
    if (text === added) return [];
    const at = places[lineOfDifference(added, text)] ?? 0;
    return [{ path, line: newStart + at, text: SECRET }];
  });
}

/** The first line, from 0, at which two texts differ. */
function lineOfDifference(one: string, other: string): number {
  const others = other.split('\n');
  return one.split('\n').findIndex((line, at) => line !== others[at]);
}

/** What a reviewer gets to see. */
interface ReviewedChange {
  /** Equal for the same change. */
  readonly digest: string;
  /** What people requested, and the diff. */
  readonly text: string;
  /** The paths that it changes. */
  readonly paths: readonly string[];
  /** What is found without a model. */
  readonly findings: readonly Finding[];
}

export interface SelfReviewRequest {
  readonly model: Model;
  readonly change: ReviewedChange;
  /** Why no model is asked, if none is. */
  readonly instead?: string | undefined;
  /** Tokens of a reply. */
  readonly outputTokens: number;
  readonly cacheKey: string;
  /** Removes secrets from a text, for people. */
  readonly redact: (text: string) => string;
  readonly redactForModel: (text: string) => Promise<string>;
  readonly signal: AbortSignal;
}

const MAX_FINDINGS = 10;
const MAX_CHARACTERS = 100_000;
const MAX_REPLY_TOKENS = 8_000;

/** How many characters of a change the model gets at most. */
export const roomFor = (model: Model): number => shareOfWindow(model, 1 / 2, MAX_CHARACTERS);

/**
 * Asks a model that knows nothing of the conversation what people would send back. A review that is not possible
 * must not keep the work from people: it says why.
 * @throws the signal's reason if it is aborted
 */
export async function reviewChange(request: SelfReviewRequest): Promise<SelfReview> {
  const { change, redact } = request;
  const before = performance.now();
  const answer =
    request.instead === undefined ? await askReviewer(request) : unanswered(request.instead);
  const found = 'failure' in answer ? [] : answer.found;
  const findings = [...change.findings, ...found].slice(0, MAX_FINDINGS);
  return {
    change: change.digest,
    findings: findings.map((one) => ({ ...one, text: redact(one.text) })),
    ...('failure' in answer ? { failure: redact(answer.failure) } : {}),
    usage: answer.usage,
    cost: answer.cost,
    durationMs: Math.round(performance.now() - before),
  };
}

type ReviewerAnswer = Pick<ModelReply, 'usage' | 'cost'> &
  ({ readonly found: readonly Finding[] } | { readonly failure: string });

const unanswered = (failure: string): ReviewerAnswer => ({ failure, usage: NO_USAGE, cost: 0 });

async function askReviewer(request: SelfReviewRequest): Promise<ReviewerAnswer> {
  const { model, change, redactForModel, signal } = request;
  try {
    const { stop, usage, cost, ...reply } = await model.reply({
      system: SELF_REVIEW_INSTRUCTIONS,
      messages: [{ role: 'user', text: await redactForModel(change.text) }],
      tools: [],
      maxOutputTokens: Math.min(request.outputTokens, MAX_REPLY_TOKENS),
      cacheKey: request.cacheKey,
      signal,
    });
    if (stop === 'filtered')
      return { failure: "The provider's safety filter stopped the reply.", usage, cost };
    const found = findingsIn(withoutThinking(reply.text).trim(), change.paths);
    return found === undefined ? { failure: UNREADABLE, usage, cost } : { found, usage, cost };
  } catch (error) {
    if (error instanceof ContextOverflow)
      return unanswered(`The change is too large for ${model.name}.`);
    if (error instanceof TellPerson || error instanceof TryLater) return unanswered(error.message);
    throw error;
  }
}

const UNREADABLE = 'The reply was not a list of findings.';
