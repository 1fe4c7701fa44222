import { besideTheWork } from '../../lib/errors.ts';
import { NO_USAGE } from '../../lib/no-usage.ts';
import type { Effect } from '../../contracts/effect.ts';
import type { Entry } from '../../session/entry.ts';
import type { AskedFor, Person } from '../../contracts/intent.ts';
import { proposalKey, QUESTION_LABEL, questionKey } from '../../session/github-names.ts';
import { entryAt } from '../../session/kept-entries.ts';
import { placeOfIntent } from '../../session/fold/replies.ts';
import type { PersonsCommand, Session } from '../../session/session.ts';
import { isQuestionOpen, stateOf } from '../../session/state.ts';
import {
  answerComment,
  duplicatesComment,
  helpComment,
  outcomeComment,
  questionComment,
  statusLink,
  workflowComment,
} from '../../session/texts/comments.ts';
import type { Body } from '../../session/texts/markdown.ts';
import {
  approvedPlanComment,
  planComment,
  replacedPlanComment,
} from '../../session/texts/plans.ts';
import { statusComment } from '../../session/texts/status-comment.ts';
import {
  mentionHints,
  noMergeComments,
  operatorComments,
  reactions,
  rejectionComments,
} from './acknowledgements.ts';
import { checkRuns } from './check-run.ts';
import { memoryComments, mergeComments } from './command-answers.ts';
import {
  bases,
  checks,
  deniedDismissal,
  dequeued,
  patchComments,
  pullRequest,
  roundLimit,
  threadReplies,
} from './on-pull-request.ts';
import {
  asOf,
  comment,
  digestOf,
  statusShownFrom,
  type CommentToPublish,
  type Publication,
  type View,
} from './publication.ts';
import { changedSubIssues, proposedSubIssues } from './sub-issue-comments.ts';
import { requestReply } from '../../session/texts/next-step.ts';

/** All that GitHub should show of a session, in the order in which it should appear. */
export function publicationsOf(view: View): Publication[] {
  const views = [
    help,
    questions,
    plans,
    proposedSubIssues,
    changedSubIssues,
    workflowChanges,
    questionLabel,
    answers,
    checks,
    dequeued,
    bases,
    deniedDismissal,
    status,
    statusLinks,
    outcomes,
    roundLimit,
    pullRequest,
    checkRuns,
  ];
  const answered = [
    ...reactions(view),
    ...[
      rejectionComments,
      mentionHints,
      operatorComments,
      noMergeComments,
      memoryComments,
      mergeComments,
      patchComments,
      requestReplies,
    ]
      .flatMap((of) => of(view))
      .map((text) => comment(view, text)),
  ];
  return [...answered, ...views.flatMap((of) => of(view)), ...threadReplies(view)];
}

/** Changes each time a person asks for the status, so that a deleted comment is posted again. */
function digestToday({ session }: View, body: Body): string {
  const times = timesAsked(session);
  return times === 0 ? digestOf(body) : `${digestOf(body)} ${times}`;
}

/** Of the model, or of the App itself. */
function questionIn(entry: Entry): Extract<Effect, { type: 'question' }> | undefined {
  if (!('effects' in entry) || entry.type === 'work_saved') return undefined;
  return entry.effects.find((effect) => effect.type === 'question');
}

function questions(view: View): Publication[] {
  return view.entries.flatMap((entry) => {
    const asked = questionIn(entry);
    if (asked === undefined) return [];
    const then = asOf(view, entry.seq);
    const body =
      entry.type === 'duplicates_searched'
        ? duplicatesComment(then.session, entry.found, asked)
        : questionComment(then.session, asked);
    const isWaiting =
      view.session.waiting.question?.seq === entry.seq && isQuestionOpen(view.session);
    const digest = isWaiting ? digestToday(view, body) : digestOf(body);
    return [comment(then, { key: questionKey(entry.seq), body, digest })];
  });
}

/** For people who filter their issues by label. If GitHub denies it, nothing else waits for it. */
function questionLabel({ session, entries }: View): Publication[] {
  const { issue } = session.thread;
  if (!entries.some((entry) => questionIn(entry) !== undefined)) return [];
  const isOpen = isQuestionOpen(session);
  return [
    {
      key: 'label:question',
      digest: isOpen ? 'on' : 'off',
      kind: 'label',
      publish: async (github) => {
        await besideTheWork(
          () =>
            isOpen
              ? github.addLabel(issue, QUESTION_LABEL)
              : github.removeLabel(issue, QUESTION_LABEL),
          () => {},
        );
        return { id: 0, url: '' };
      },
    },
  ];
}

/** One for each plan that people have, or had, to agree to; what a newer one replaces says so. */
function plans(view: View): Publication[] {
  const all = view.entries.flatMap((entry) => {
    if (entry.type !== 'call_finished') return [];
    const plan = entry.effects.find((effect) => effect.type === 'plan');
    return plan?.needsApproval === true ? [{ seq: entry.seq, items: plan.items }] : [];
  });
  return all.map(({ seq, items }, index) => {
    const before = all[index - 1];
    const said = before && wordsBetween(view, before.seq, seq);
    const then = asOf(view, seq, said?.by);
    const isReplaced = index < all.length - 1;
    const { approval, approvedBy } = view.session.waiting;
    const asked = () =>
      approval === 'given' && approvedBy !== undefined
        ? approvedPlanComment(approvedBy, items)
        : planComment(then.session, items, before && { ...before, isAsked: said?.isYes === false });
    const body = isReplaced ? replacedPlanComment(items) : asked();
    return comment(then, { key: proposalKey({ of: 'plan', seq }), body });
  });
}

/** The last words to us, of those who may agree, between a plan and the one that follows it. */
function wordsBetween(
  { entries }: View,
  plan: number,
  next: number,
): { readonly by: Person; readonly isYes: boolean } | undefined {
  const verdict = entries.findLast(
    (entry) =>
      entry.type === 'admitted' &&
      entry.received > plan &&
      entry.seq < next &&
      entry.answersOnly !== true &&
      entry.needsMention !== true &&
      isWordsOfPerson(entryAt(entries, entry.received)),
  );
  if (verdict?.type !== 'admitted') return undefined;
  const words = entryAt(entries, verdict.received);
  return words?.type === 'received'
    ? { by: words.sender, isYes: verdict.approves !== undefined }
    : undefined;
}

const isWordsOfPerson = (entry: Entry | undefined): boolean =>
  entry?.type === 'received' &&
  entry.sender.bot !== true &&
  (entry.intent.kind === 'comment' || entry.intent.kind === 'review');

/** One for each change of workflow files that an administrator has, or had, to approve. */
function workflowChanges(view: View): Publication[] {
  return view.entries.flatMap((entry) => {
    if (entry.type !== 'call_finished') return [];
    const change = entry.effects.find((effect) => effect.type === 'workflow_change');
    if (change === undefined) return [];
    const then = asOf(view, entry.seq);
    const key = proposalKey({ of: 'workflows', seq: entry.seq });
    return [comment(then, { key, body: workflowComment(then.session, change) })];
  });
}

/** One for each run that answered, also when the next one began before this could be published. */
function answers(view: View): Publication[] {
  let answer: string | null = null;
  return view.entries.flatMap((entry) => {
    if (entry.type === 'reply') ({ answer } = entry);
    if (entry.type !== 'run_ended' || entry.end.kind !== 'answered') return [];
    const then = asOf(view, entry.seq);
    const body = answerComment(then.session, answer ?? '');
    return [comment(then, { key: `answer:${entry.run}`, body })];
  });
}

/** Commands whose answer is the status comment. */
const SHOWN: ReadonlySet<AskedFor> = new Set(['status', 'plan', 'cost']);

const isStatusAsked = ({ applied, command }: PersonsCommand): boolean =>
  applied && SHOWN.has(command);

const timesAsked = ({ requests }: Session): number =>
  requests.commands.filter(isStatusAsked).length;

/** Once for an issue or a pull request, however often it is asked for there, and once for each command that people nearly wrote there. */
function help(view: View): Publication[] {
  const { session, entries } = view;
  const told = new Map<string, CommentToPublish>();
  for (const { command, received, meant } of session.requests.commands) {
    if (!HELPED.has(command)) continue;
    const entry = entryAt(entries, received);
    const said = entry?.type === 'received' ? entry : undefined;
    const issue = (said && placeOfIntent(said.intent, session)?.on) ?? session.thread.issue;
    const elsewhere = issue === session.thread.issue ? '' : `:${issue}`;
    const key = `help${meant === undefined ? '' : `:${meant}`}${elsewhere}`;
    if (told.has(key)) continue;
    const login = said?.sender.login;
    const to = login === undefined ? {} : { mention: login };
    told.set(key, { key, body: helpComment(login, meant), issue, ...to });
  }
  return [...told.values()].map((one) => comment(view, one));
}

const HELPED: ReadonlySet<AskedFor> = new Set(['help', 'unclear']);

/** Nobody waits longer for the status, if GitHub did not let us answer. */
const LINKED_FOR_MS = 24 * 60 * 60_000;

/** Whoever asks for the status is led to it: it is further up, or on the issue. */
function statusLinks(view: View): Publication[] {
  const { session, entries, options } = view;
  const shown = entries.findLast((entry) => entry.type === 'published' && entry.key === 'status');
  if (shown?.type !== 'published') return [];
  const asked = session.requests.commands.filter(isStatusAsked).map(({ received }) => received);
  return [...new Set(asked)].flatMap((received) => {
    const entry = entryAt(entries, received);
    if (entry?.type !== 'received') return [];
    if (Date.parse(options.now) - Date.parse(entry.at) > LINKED_FOR_MS) return [];
    const { login } = entry.sender;
    const issue = placeOfIntent(entry.intent, session)?.on ?? session.thread.issue;
    const body = statusLink(login, shown.url);
    return [comment(view, { key: `status-link:${received}`, body, mention: login, issue })];
  });
}

/**
 * The digest leaves out the times that the comment shows and, while a run works, what it has used, because these alone are no
 * reason to edit it. Its first word is the part that is published without waiting, its third the place in the queue.
 * That work is about to begin is said only if nothing is shown yet: its run will say so.
 */
function status(view: View): Publication[] {
  const { session, options } = view;
  if (session.requests.requester === undefined) return [];
  const state = stateOf(session);
  const asked = timesAsked(session);
  const wait = session.run?.deferred;
  // A run that waits for room to write leaves it to others.
  const deferred = wait?.cause === 'write_budget' ? undefined : wait?.until;
  const isStarting = state === 'queued' && options.place === undefined;
  const isLive = state === 'working' && deferred === undefined;
  const pressing = digestOf([JSON.stringify([state, asked, deferred])]).slice(0, 8);
  const fixed = { ...options, now: session.thread.openedAt, place: undefined };
  const place = options.place === undefined ? '' : ` ${options.place}`;
  const shown = statusComment(isLive ? withoutCounts(session) : session, fixed);
  const digest = `${pressing} ${digestOf(shown)}${place}`;
  const body = statusComment(session, options);
  return [
    {
      // It names whom a question is for: the question itself tells them.
      ...comment(view, { key: 'status', body, digest, mention: [] }),
      isLive,
      notBefore: statusShownFrom(session),
      duringWork: isStarting ? 'waits if shown' : undefined,
    },
  ];
}

/** Whether the model is asked or its reply carried out is no news either; which step that is, or was the last, is. */
const withoutCounts = (session: Session): Session => ({
  ...session,
  run: session.run && { ...session.run, modelAskedAt: undefined },
  spending: { ...session.spending, usage: NO_USAGE },
  progress: { ...session.progress, replies: 0 },
  tally: { ...session.tally, workedMs: 0, steppedAt: undefined },
});

function outcomes(view: View): Publication[] {
  const { session } = view;
  const body = outcomeComment(session);
  const key = `outcome:${session.run?.number ?? 0}`;
  return body === undefined ? [] : [comment(view, { key, body })];
}

/** What people asked for is answered where they asked, once for each run that ended, whatever began since. */
export const requestReplies = ({ session: { requests } }: View): CommentToPublish[] =>
  requests.replies.map((reply) => ({
    key: `reply:${reply.run}:${reply.received}`,
    body: requestReply(reply),
    mention: reply.logins,
    issue: reply.on,
  }));
