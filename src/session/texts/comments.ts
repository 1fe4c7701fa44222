// The comments that are posted once: question, answer, outcome, rejection and help. The App speaks
// as "I" in them. Markdown.
import type { AskedQuestion, Effect, FinishOutcome } from '../../contracts/effect.ts';
import type { RunEnd } from '../../contracts/entries.ts';
import type { Duplicate } from '../../contracts/related-work.ts';
import type { EntryOf } from '../entry.ts';
import type { CommandName, Intent } from '../../contracts/intent.ts';
import { isOnPull } from '../said/asks.ts';
import { unpushedIn } from '../parts/session-work.ts';
import type { Session } from '../session.ts';
import { stateOf } from '../state.ts';
import {
  addressed,
  between,
  code,
  codeBlock,
  details,
  isOneLine,
  mention,
  oneLine,
  quotation,
  sections,
  unquoted,
  type Body,
  type Section,
} from './markdown.ts';
import { commitList, leftToPeople, ownSummary } from './work-done.ts';
import { day, plural } from './format.ts';
import { duplicatesAsked } from './duplicates-found.ts';
import { hasOnlyOnePlan } from './headline.ts';
import { unpushedMerge, unresolvedConflicts } from './merges.ts';
import { APPROVE_WORKFLOWS, nextStep, stillUsedUp } from './next-step.ts';

/** Characters of questions with their proposals, and of a plan, that a comment shows whole: people agree to what they see. */
export const MOST_ASKED = 20_000;
export const MOST_PLANNED = 12_000;
/** The marks that make a text safe may double it. */
const ROOM_OF_QUESTIONS = 2 * MOST_ASKED;
const ROOM_OF_LABEL = 100;

type QuestionWords = Pick<Extract<Effect, { type: 'question' }>, 'text' | 'items' | 'deadline'>;

/** The agent's questions, numbered if there are several, to the person who requested the work. */
export function questionComment(session: Session, { text, items, deadline }: QuestionWords): Body {
  const all = items === undefined || items.length === 0 ? [{ text }] : items;
  const what = all.length === 1 ? 'a question' : `${all.length} questions`;
  const texts = all.flatMap((item) => [item.text, item.proposedAnswer ?? '']);
  const perCharacter = ROOM_OF_QUESTIONS / Math.max(1, texts.join('').length);
  // Whether some have a proposal and others none.
  const isMixed = new Set(all.map(({ proposedAnswer }) => proposedAnswer === undefined)).size > 1;
  return sections(
    addressed(session, `I have ${what}:`),
    ...all.map((item, index) =>
      question(item, all.length === 1 ? '' : `**${index + 1}.**`, perCharacter, isMixed),
    ),
    howToAnswer(all, deadline),
    unpushedMerge(unpushedIn(session.work)),
  );
}

/** Before anything was done: the issue seems to be solved already. */
export const duplicatesComment = (
  session: Session,
  found: readonly Duplicate[],
  { deadline }: QuestionWords,
): Body =>
  sections(
    addressed(session, 'This issue seems to be solved already:'),
    duplicatesAsked(found),
    withoutAnswer(deadline, []),
  );

/** Each text has room by its length. */
function question(
  { text, proposedAnswer }: AskedQuestion,
  number: string,
  perCharacter: number,
  isAmongProposals: boolean,
): Body {
  const shown = (label: string, words: string): Section =>
    between(labelled(label, words), ROOM_OF_LABEL + Math.floor(words.length * perCharacter));
  if (proposedAnswer !== undefined)
    return sections(shown(number, text), shown('*Proposed:*', proposedAnswer));
  return sections(shown(number, text), isAmongProposals ? '*No default answer.*' : '');
}

/** On one line with the text, unless that begins with a block of Markdown. */
function labelled(label: string, text: string): string {
  if (label === '') return text;
  const isBlock = /^(?:\s|[`~]{3}|(?:[-*+>]|#{1,6}|\d{1,9}[.)]) |[|])/.test(text);
  return `${label}${isBlock ? '\n\n' : ' '}${text}`;
}

function howToAnswer(all: readonly AskedQuestion[], deadline: QuestionWords['deadline']): string {
  const isProposed = all.every(({ proposedAnswer }) => proposedAnswer !== undefined);
  return [
    isProposed ? 'Reply here, or just “as proposed”.' : "Reply here and I'll continue.",
    ...(all.length === 1 ? [] : ['If you answer only some, give their numbers.']),
    withoutAnswer(deadline, all),
  ]
    .join(' ')
    .trim();
}

function withoutAnswer(deadline: QuestionWords['deadline'], all: readonly AskedQuestion[]): string {
  if (deadline === undefined) return '';
  const opening = `Without a reply by ${day(deadline.until)},`;
  if (deadline.action === 'pause') return `${opening} I pause until there is one.`;
  return all.every(({ proposedAnswer }) => proposedAnswer !== undefined)
    ? `${opening} I continue as proposed.`
    : `${opening} I continue as proposed, and decide the rest myself.`;
}

/** A change of workflow files, to the person who requested the work and to administrators. */
export function workflowComment(
  session: Session,
  { diff, files }: Extract<Effect, { type: 'workflow_change' }>,
): Body {
  const count = plural(files.length, 'workflow file');
  return sections(
    addressed(session, `This changes ${count}, and workflows can use the repository's secrets.`),
    APPROVE_WORKFLOWS,
    unquoted(codeBlock(diff, 'diff')),
  );
}

/** The answer of a run without tools, to the person who asked. */
export function answerComment(session: Session, answer: string): Body {
  return sections(
    addressed(session, ''),
    answer.trim() === '' ? '_The answer was empty._' : unquoted(answer),
  );
}

const MAX_WORDS = 20_000;
const MAX_COMMITS = 15;

/**
 * The extra comment at the end of a run, if a person has to act or would not hear of it otherwise;
 * `undefined` if the status comment and the pull request say enough, and for an answer, which has a
 * comment of its own. Those who asked in words have a reply of theirs in its place.
 */
export function outcomeComment(session: Session): Body | undefined {
  if (isReplied(session)) return undefined;
  const state = stateOf(session);
  const end = session.run?.end;
  const finish = session.run?.finish;
  if (end?.kind === 'limit' && (state === 'failed' || state === 'waiting(review)'))
    return limitReached(session, end);
  if (end?.kind === 'failed' && state === 'failed')
    return outcome(session, "I couldn't continue", end.reason);
  if (end?.kind !== 'finished' || (state !== 'done' && state !== 'waiting(review)'))
    return undefined;
  if (session.thread.pullRequest?.state === 'merged') return undefined;
  if (hasOnlyOnePlan(session)) return onePlan(session);
  const { outcome: ended = 'done', summary = '' } = finish ?? {};
  if (ended !== 'done')
    return outcome(session, OPENINGS[ended], summary === '' ? ownSummary(session) : summary);
  // Nobody hears of a pull request that GitHub let the App ask nobody to review.
  const left = leftToPeople(session);
  return left === '' ? undefined : [addressed(session, left)];
}

/** What was said in full at the first time is a line after that. */
function limitReached(session: Session, end: Extract<RunEnd, { kind: 'limit' }>): Body {
  if (end.isStill === true) return [addressed(session, stillUsedUp(end))];
  return outcome(session, unresolvedConflicts(end) ?? 'I stopped', end.reason);
}

const OPENINGS: Readonly<Record<Exclude<FinishOutcome, 'done'>, string>> = {
  partial: 'I did a part of this and left the pull request a draft',
  nothing_to_do: "I didn't change anything",
  cannot: "I couldn't do this",
};

/**
 * Words of the model say nothing of it to others, and nothing at all if the work failed after them. Or nothing was changed for a review, and each of its comments
 * on lines has a reply that says why.
 */
const isReplied = (session: Session): boolean =>
  session.requests.replies.some(
    ({ run, words, logins }) =>
      run === session.run?.number &&
      (words === undefined ||
        (session.run.repliesAtOnce &&
          session.run.end?.kind === 'finished' &&
          logins.includes(session.requests.requester?.login ?? ''))),
  ) || isSaidInThreads(session);

/** Nothing was changed for a review, and each of its comments on lines has a reply that says why. */
function isSaidInThreads({ run, reviews }: Session): boolean {
  if (run?.finish?.outcome !== 'nothing_to_do') return false;
  const threads = reviews.rounds.at(-1)?.threads.filter(({ work }) => work === 'work') ?? [];
  const isOfThisRun = reviews.sinceAsked.lastRun === run.number;
  return isOfThisRun && threads.length > 0 && threads.every(({ reply }) => reply !== undefined);
}

/** On one line if there is room; the words of others are a quotation otherwise. */
function outcome(session: Session, opening: string, words: string): Body {
  const first = isOneLine(words)
    ? [addressed(session, `${opening}: ${oneLine(words)}`)]
    : [addressed(session, `${opening}:`), quotation(words, MAX_WORDS)];
  return sections(first, whatIsLeft(session), nextStep(session));
}

const onePlan = (session: Session): Body =>
  sections(
    addressed(session, 'I stopped after one model reply (`mode: single`).'),
    commitList(session.work.commits, MAX_COMMITS) || 'Nothing was committed.',
    whatIsLeft(session),
    nextStep(session),
  );

/** What is left of the work, and where. */
const whatIsLeft = (session: Session): Body =>
  sections(saved(session), unpushedMerge(unpushedIn(session.work)));

function saved(session: Session): string {
  const {
    work: { commits, plan },
    thread: { pullRequest },
    run,
  } = session;
  const done = plan.filter((item) => item.done).length;
  const progress =
    plan.length === 0 || stateOf(session) !== 'failed'
      ? ''
      : `${done} of ${plural(plan.length, 'step')} done. `;
  if (pullRequest !== undefined) return `${progress}The work so far is in #${pullRequest.number}.`;
  if (commits.length === 0 || run === undefined) return progress.trim();
  return `${progress}The work so far is on the branch ${code(run.branch)} (${plural(commits.length, 'commit')}).`;
}

const ROLES: ReadonlyMap<string, string> = new Map([
  ['maintain', 'someone with the role *maintain* or *admin*'],
  ['admin', 'an administrator'],
]);

/** The reply to a person whose request was rejected. `hasBegun`: someone who may has asked for work before. */
export function rejectionComment(
  login: string,
  {
    reason,
    attempt,
    requiredRole,
    details = '',
  }: Pick<EntryOf<'rejected'>, 'reason' | 'attempt' | 'requiredRole' | 'details'>,
  intent: Intent,
  hasBegun = false,
): string {
  const to = mention(login);
  if (reason === 'issue_closed')
    return `${to} This ${isOnPull(intent) ? 'pull request' : 'issue'} is closed. Reopen it, then ask again.`;
  if (reason === 'pull_request_merged')
    return `${to} This pull request is merged. Open a new issue for the rest, and ask there.`;
  if (reason === 'own_pull_request')
    return `${to} I opened this pull request for an issue. Ask on that issue.`;
  if (reason === 'reviews_off')
    return `${to} The settings say \`review: off\` here, so a label or a review request starts no review. Ask for it in a comment that mentions me.`;
  if (reason === 'permission_check_denied')
    return `${to} GitHub didn't let me check your permissions. ${details} Ask again once this is fixed.`;
  const role = ROLES.get(requiredRole ?? '') ?? 'someone with write access';
  if (intent.kind === 'check_action')
    return `${to} Thanks, but ${role} has to press that button, so I ignored this.`;
  if (attempt === 'command')
    return `${to} Thanks, but only ${role} can give me that command, so I ignored it.`;
  const thanks = `${to} Thanks! ${role.charAt(0).toUpperCase()}${role.slice(1)} has to`;
  if (attempt === 'approval') return `${thanks} approve this; I'll wait.`;
  if (attempt === 'answer') return `${thanks} confirm that; then I'll read it.`;
  const what =
    hasBegun && intent.kind !== 'start' ? 'ask for that' : `start me${howToStart(intent)}`;
  return `${thanks} ${what}; I'll wait.`;
}

function howToStart(intent: Intent): string {
  if (intent.kind !== 'start') return '';
  const { label, assignee } = intent;
  if (assignee !== undefined) return ` (unassign ${assignee} and assign it again)`;
  return label === '' ? '' : ` (remove the label ${code(label)} and add it again)`;
}

/** To the first person who asks something on our pull request without a mention, and may request work. */
export const mentionHint = (login: string): string =>
  `${mention(login)} If that is for me, mention me and I'll do it.`;

/** To whoever asked for the status, which may be updated a moment later. */
export const statusLink = (login: string, url: string): Body => [
  `${mention(login)} Here is [the status](${encodeURI(url)}).`,
];

/** What each command does. Its name is what people write. */
export const COMMAND_HELP: Readonly<Record<CommandName, string>> = {
  stop: 'stops the work; what is done stays on its branch (also `cancel`, `abort`, `halt`)',
  approve: 'approves the plan, a change of workflow files, or the sub-issues',
  pause: 'pauses the work',
  resume: 'resumes it (also `continue`, `unpause`)',
  retry: 'starts again after a failure, a limit or a stop, and keeps the work so far',
  fix: 'fixes the checks that failed on the pull request',
  new: 'starts a new conversation on the same branch: the model forgets what was said before',
  resolve: 'merges the base branch into the pull request, and resolves the conflicts',
  base: 'begins the work on top of another open pull request of mine: `base #12`',
  split: 'proposes sub-issues of the issue, and opens them once you approve',
  merge:
    'has GitHub merge the pull request when it is ready, if the settings allow that: `merge when ready`; `do not merge` ends it',
  status: 'updates the status comment and links to it',
  plan: 'updates the status comment, with its plan',
  cost: 'updates the status comment, with its cost',
  memory:
    'lists what earlier sessions remembered about this repository; `memory 3` shows one in full',
  forget: 'deletes memories: `forget 3`',
  help: 'shows this list',
};

/** Commands that are more than one word. */
const EXAMPLES: ReadonlyMap<CommandName, string> = new Map([
  ['base', 'base #12'],
  ['merge', 'merge when ready'],
]);

/** What people can ask for, and how. `meant`: the command that someone nearly wrote. */
export function helpComment(login?: string, meant?: CommandName): Body {
  const to = login === undefined ? '' : `${mention(login)} `;
  const list = Object.entries(COMMAND_HELP)
    .map(([name, does]) => `- ${code(`/issuewright ${name}`)}: ${does}`)
    .join('\n');
  const all = [
    'Write a command on a line of its own; you can also mention me instead of `/issuewright`. A reason may follow: `/issuewright stop, wrong approach`.',
    list,
    'Anything else after `/issuewright` or a mention is a request for work. One that begins with *stop* or *pause* needs the mention.',
  ];
  if (meant === undefined) return sections(`${to}${all.join('\n\n')}`);
  const example = EXAMPLES.get(meant) ?? meant;
  return sections(
    `${to}Did you mean ${code(`/issuewright ${example}`)}?`,
    details('All commands', all.join('\n\n')),
  );
}
