// The comments that are posted once: question, plan, answer, outcome, rejection and help. The App speaks
// as "I" in them. Markdown.
import type { AskedQuestion, Effect, FinishOutcome, PlanItem } from '../../contracts/effect.ts';
import type { RunEnd } from '../../contracts/entries.ts';
import type { Duplicate } from '../../contracts/related-work.ts';
import type { EntryOf } from '../entry.ts';
import type { CommandName, Intent } from '../../contracts/intent.ts';
import { isOnPull } from '../said/asks.ts';
import { unpushedIn } from '../parts/session-work.ts';
import type { Session } from '../session.ts';
import { stateOf } from '../state.ts';
import { quoted, sections, unquoted, type Body } from './body.ts';
import { commitList } from './commits.ts';
import { day, plural } from './format.ts';
import { duplicatesAsked } from './duplicates-found.ts';
import { hasOnlyOnePlan } from './headline.ts';
import { code, codeBlock, mention, oneLine } from './markdown.ts';
import { unpushedMerge, unresolved } from './merges.ts';
import { APPROVE_WORKFLOWS, converse, nextStep, stillUsedUp } from './next-step.ts';
import { threadName } from './thread-reply.ts';

const addressed = ({ requests: { requester } }: Session, opening: string): string =>
  requester === undefined ? opening : `${mention(requester.login)} ${opening}`;

const MAX_QUESTIONS = 20_000;
const MAX_PROPOSALS = 20_000;

type Asked = Pick<Extract<Effect, { type: 'question' }>, 'text' | 'items' | 'deadline'>;

/** The agent's questions, numbered if there are several, to the person who requested the work. */
export function questionComment(session: Session, { text, items, deadline }: Asked): Body {
  const all = items === undefined || items.length === 0 ? [{ text }] : items;
  const what = all.length === 1 ? 'a question' : `${all.length} questions`;
  return sections(
    addressed(session, `I have ${what} before I can continue:`),
    ...all.map((item, index) => question(item, index, all.length)),
    howToAnswer(all, threadName(session.thread)),
    withoutAnswer(deadline, all),
    unpushedMerge(unpushedIn(session.work)),
  );
}

/** Before anything was done: the issue seems to be solved already. */
export const duplicatesComment = (
  session: Session,
  found: readonly Duplicate[],
  { deadline }: Asked,
): Body =>
  sections(
    addressed(session, 'Before I start: this issue seems to be solved already.'),
    duplicatesAsked(found),
    deadline === undefined ? '' : withoutAnswer(deadline, []),
  );

function question({ text, proposedAnswer }: AskedQuestion, index: number, count: number): Body {
  return sections(
    count === 1 ? '' : `**Question ${index + 1}**`,
    quoted(text, Math.floor(MAX_QUESTIONS / count)),
    ...(proposedAnswer === undefined
      ? []
      : ['Proposed answer:', quoted(proposedAnswer, Math.floor(MAX_PROPOSALS / count))]),
  );
}

function howToAnswer(all: readonly AskedQuestion[], where: string): string {
  const proposed = all.every(({ proposedAnswer }) => proposedAnswer !== undefined);
  return [
    `Reply to this ${where} to answer.`,
    ...(all.length === 1 ? [] : ['If you answer only some of them, give their numbers.']),
    ...(proposed ? [`To accept ${proposedAnswers(all)}, reply “as proposed”.`] : []),
    "I'll continue once you've answered.",
  ].join(' ');
}

const proposedAnswers = (all: readonly AskedQuestion[]): string =>
  all.length === 1 ? 'the proposed answer' : 'the proposed answers';

function withoutAnswer(deadline: Asked['deadline'], all: readonly AskedQuestion[]): string {
  if (deadline === undefined) return '';
  const opening = `If nobody replies by ${day(deadline.until)},`;
  if (deadline.action === 'pause') return `${opening} I'll pause. A later answer resumes the work.`;
  return all.every(({ proposedAnswer }) => proposedAnswer !== undefined)
    ? `${opening} I'll continue with ${proposedAnswers(all)}.`
    : `${opening} I'll continue with the proposed answers, and decide the questions that have none myself.`;
}

/** A plan that needs approval, to the person who requested the work. */
export function planComment(session: Session, items: readonly PlanItem[]): Body {
  const steps = plural(items.length, 'step');
  return sections(
    addressed(
      session,
      `Here is my plan, in ${steps}. I won't change anything before it's approved:`,
    ),
    items.map(({ title }, index) => `${index + 1}. ${oneLine(title)}`).join('\n'),
    "To approve it, reply **approve** or **go**, or react to this comment with 👍. To change it, reply with what should be different: I'll post a new plan for approval.",
  );
}

/** In the place of a plan that a newer one follows: nobody approves the old one by mistake. */
export const planReplaced = (session: Session): Body => [
  addressed(session, 'Replaced by the plan below.'),
];

/** A change of workflow files, to the person who requested the work and to administrators. */
export function workflowComment(
  session: Session,
  { diff, files }: Extract<Effect, { type: 'workflow_change' }>,
): Body {
  const count = plural(files.length, 'workflow file');
  return sections(
    addressed(
      session,
      `This work changes ${count}. Workflows can use the repository's secrets, so I won't push the change before someone with admin access approves it:`,
    ),
    APPROVE_WORKFLOWS,
    unquoted(codeBlock(diff, 'diff')),
  );
}

/** The answer of a run without tools, to the person who asked. */
export function answerComment(session: Session, answer: string): Body {
  return sections(
    addressed(session, `The model's answer is below. ${converse(session.thread)}`),
    '---',
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
    return outcome(session, "I couldn't continue:", end.reason);
  if (end?.kind !== 'finished' || (state !== 'done' && state !== 'waiting(review)'))
    return undefined;
  if (session.thread.pullRequest?.state === 'merged') return undefined;
  if (hasOnlyOnePlan(session)) return onePlan(session);
  const { outcome: ended = 'done', summary = '' } = finish ?? {};
  return ended === 'done' ? undefined : outcome(session, OPENINGS[ended], summary);
}

/** What was said in full at the first time is a line after that. */
function limitReached(session: Session, end: Extract<RunEnd, { kind: 'limit' }>): Body {
  if (end.isStill === true) return [addressed(session, stillUsedUp(end))];
  const opening = unresolved(end) ?? 'I stopped before the work was finished:';
  return outcome(session, opening, end.reason, progress(session));
}

const OPENINGS: Readonly<Record<Exclude<FinishOutcome, 'done'>, string>> = {
  partial: "I did a part of this, and left the pull request a draft. The model's explanation:",
  nothing_to_do: "I didn't change anything. The model's explanation:",
  cannot: "I couldn't do this. The model's explanation:",
};

/** If the work failed, words of the model from before that say nothing of it. */
const isReplied = ({ run, requests }: Session): boolean =>
  requests.replies.some(
    (reply) =>
      reply.run === run?.number && (run.end?.kind === 'finished' || reply.words === undefined),
  );

const outcome = (session: Session, opening: string, words: string, more = ''): Body =>
  sections(
    addressed(session, opening),
    quoted(words, MAX_WORDS),
    more,
    whatIsLeft(session),
    nextStep(session),
  );

const onePlan = (session: Session): Body =>
  sections(
    'I stopped after one model reply, as `mode: single` in the settings requires.',
    commitList(session.work.commits, MAX_COMMITS) || 'Nothing was committed.',
    whatIsLeft(session),
    nextStep(session),
  );

function progress({ work: { plan } }: Session): string {
  if (plan.length === 0) return '';
  const done = plan.filter((item) => item.done).length;
  return `Progress: ${done} of ${plural(plan.length, 'planned step')} done.`;
}

/** What is left of the work, and where. */
const whatIsLeft = (session: Session): Body =>
  sections(saved(session), unpushedMerge(unpushedIn(session.work)));

function saved({ work: { commits }, thread: { pullRequest }, run }: Session): string {
  if (pullRequest !== undefined) return `The work so far is in #${pullRequest.number}.`;
  if (commits.length === 0 || run === undefined) return '';
  return `The work so far is saved: ${plural(commits.length, 'commit')} on the branch ${code(run.branch)}.`;
}

const ROLES: ReadonlyMap<string, string> = new Map([
  ['maintain', 'people with the role *maintain* or *admin* in this repository'],
  ['admin', 'administrators of this repository'],
]);
const WRITERS = 'people with write access to this repository';

/** The reply to a person whose request was rejected. */
export function rejectionComment(
  login: string,
  {
    reason,
    attempt,
    requiredRole,
    details = '',
  }: Pick<EntryOf<'rejected'>, 'reason' | 'attempt' | 'requiredRole' | 'details'>,
  intent: Intent,
): string {
  const to = mention(login);
  if (reason === 'issue_closed')
    return `${to} This ${isOnPull(intent) ? 'pull request' : 'issue'} is closed, so I didn't start anything. Reopen it, then request the work again.`;
  if (reason === 'pull_request_merged')
    return `${to} This pull request is merged, so I didn't start anything, and GitHub doesn't let anyone reopen it. Open a new issue for what is still to be done, and request the work there.`;
  if (reason === 'own_pull_request')
    return `${to} I opened this pull request for an issue, so I didn't start anything here. Request the work on that issue.`;
  if (reason === 'permission_check_denied')
    return `${to} I didn't start anything, because GitHub denied the permission check. ${details} Once this is fixed, request the work again.`;
  const allowed = ROLES.get(requiredRole ?? '') ?? WRITERS;
  if (intent.kind === 'check_action')
    return `${to} Only ${allowed} can use the buttons of my check run, so I did nothing. If it should happen, ask one of them to do it.`;
  if (attempt === 'command')
    return `${to} Only ${allowed} can give commands here, so I ignored this one. If it should happen, ask one of them to post it.`;
  if (attempt === 'approval')
    return `${to} Thank you. Only ${allowed} can approve this here, so your comment hasn't changed anything. If you'd like it to count, ask one of them to approve it.`;
  if (attempt === 'answer')
    return `${to} Thank you. Only ${allowed} can answer questions here, so your comment hasn't changed anything. If you'd like it to count, ask one of them to reply.`;
  return `${to} Thank you. Only ${allowed} can start work here, because it costs the owner money and pushes a branch, so I didn't start anything. If you'd like this done, ask one of them to ${howToAsk(intent)}.`;
}

function howToAsk(intent: Intent): string {
  if (intent.kind !== 'start') return 'request it here';
  const { label, assignee } = intent;
  if (assignee !== undefined) return `unassign ${assignee} and assign it again`;
  return label === '' ? 'request it here' : `remove the label ${code(label)} and add it again`;
}

/** To the first person who writes on our pull request without a mention, and may request work. */
export const mentionHint = (login: string): string =>
  `${mention(login)} If that is for me, mention me and I'll do it.`;

const COMMAND_HELP: Readonly<Record<CommandName, string>> = {
  stop: 'stops the work; what is done so far stays on its branch',
  approve: 'approves the proposed plan and starts the work',
  pause: 'pauses the work until `resume`',
  resume: 'resumes paused work',
  retry: 'starts again after a failure, a limit or a stop, and keeps the work so far',
  fix: 'fixes the checks that failed on the pull request',
  new: 'starts again with a new conversation: the model sees the issue and the work so far, but nothing that was said before',
  resolve: 'merges the base branch into the pull request, and resolves the conflicts',
  base: 'begins the work on top of an open pull request of mine, before there is one for this: `base #12`',
  status: 'refreshes the status comment',
  plan: 'refreshes the status comment, which shows the plan',
  cost: 'refreshes the status comment, which shows the cost',
  memory: 'lists what sessions remembered about this repository; `memory 3` shows one in full',
  forget: 'deletes memories by their numbers: `forget 3`',
  help: 'shows this list',
};

/** What people can ask for, and how. */
export const helpComment = (): Body =>
  sections(
    'Write one of these commands on a line of its own in a comment. Instead of `/issuewright`, you can also mention this App.',
    Object.entries(COMMAND_HELP)
      .map(([name, does]) => `- ${code(`/issuewright ${name}`)}: ${does}`)
      .join('\n'),
    '`cancel`, `abort` and `halt` mean `stop`; `continue` and `unpause` mean `resume`. You can add a reason: `/issuewright stop, wrong approach`.',
    'Any other text after `/issuewright`, and any other comment that mentions this App, is a request for work: I start on it, or include it in the current run. To make a request that begins with *stop* or *pause*, mention this App: after `/issuewright` those words are read as commands. You can also stop the work by removing the label or closing the issue.',
  );
