import type { RunEnd } from '../../contracts/entries.ts';
import { hasFailingChecks } from '../checks/due.ts';
import type { RequestReply, Session } from '../session.ts';
import { hasBrokenOff, isUnfinished, stateOf, type State } from '../state.ts';
import { pullRequestState, type Thread } from '../parts/session-thread.ts';
import { hasOnlyOnePlan } from './headline.ts';
import { isOneLine, mention, oneLine, sections, unquoted, type Body } from './markdown.ts';
import { unpushedMerge, unresolvedConflicts } from './merges.ts';
import { shortSha } from './format.ts';

/** How to continue after a run without tools. On someone else's pull request, a reply may be for others. */
const converse = ({ adopted }: Thread): string =>
  adopted === undefined ? 'Reply here to continue.' : 'Mention me in a reply to continue.';

/** How an administrator approves a change of workflow files. */
export const APPROVE_WORKFLOWS =
  'This is not pushed yet. Someone with admin access has to approve exactly this change: `/issuewright approve` or 👍. Any other reply asks for changes.';

/** How to stop what is being done, or will be after an answer; empty otherwise. Markdown. */
export const howToStop = (session: Session): string =>
  ENDED.has(stateOf(session)) ? '' : 'To stop: `/issuewright stop`';

const ENDED: ReadonlySet<State> = new Set(['waiting(review)', 'done', 'failed', 'stopped']);

/** What a person can do now, unless it goes without saying: continue or start again. Markdown, short. */
export function nextStep(session: Session): string {
  const { run, thread, waiting } = session;
  const state = stateOf(session);
  switch (state) {
    case 'ignored':
    case 'queued':
    case 'waiting(sub-issues)':
      return '';
    case 'working':
      return run?.deferred === undefined || run.deferred.cause === 'installation'
        ? ''
        : "I'll resume automatically.";
    case 'waiting(answer)':
    case 'waiting(person)':
      return 'Reply here to continue.';
    case 'waiting(approval)':
      if (waiting.proposal?.of === 'workflows') return APPROVE_WORKFLOWS;
      return waiting.proposal?.of === 'sub_issues'
        ? 'Reply **approve**, or react to the proposal with 👍. To change it, say what should be different.'
        : 'Reply **approve**, or react to the plan with 👍. To change it, say what should be different.';
    case 'waiting(review)':
      if (hasBrokenOff(session)) return afterFailure(run?.end);
      if (hasOnlyOnePlan(session)) return NEXT_REPLY;
      if (isUnfinished(run)) return 'Mention me with what should happen next, or review it.';
      return hasFailingChecks(session) ? '' : REVIEW_IT;
    case 'waiting(pause)':
      return waiting.pausedBy === undefined
        ? "I'll resume when the operator ends the pause."
        : 'To resume, write `/issuewright resume`.';
    case 'done':
      if (pullRequestState(thread) === 'merged' || run === undefined) return '';
      if (run.splits && run.end?.kind === 'asked') return '';
      if (run?.end?.kind === 'answered') return converse(thread);
      if (hasOnlyOnePlan(session)) return NEXT_REPLY;
      return thread.adopted === undefined
        ? 'Not what you meant? Add details in a comment, then write `/issuewright retry`.'
        : 'Mention me if there is more to do.';
    case 'failed':
      return afterFailure(run?.end);
    case 'stopped':
      return `To start again, ${thread.issueClosed ? 'reopen the issue and ' : ''}write \`/issuewright retry\`.`;
    default:
      return state satisfies never;
  }
}

const REVIEW_IT =
  'Review or merge it. I see changes that you request and comments on lines; for anything else, mention me.';

const NEXT_REPLY = "For the model's next reply, write `/issuewright retry`.";

/** One line for each further attempt on a budget that nobody raised. */
export function stillUsedUp(end: Extract<RunEnd, { kind: 'limit' }>): string {
  const conflict = unresolvedConflicts(end);
  const opening = conflict === undefined ? '' : `${conflict}: `;
  return `${opening}${oneLine(end.reason)} The operator can raise \`BUDGET_ISSUE\`.`;
}

/** Another run would end at once if the budget of the issue is used up. */
function afterFailure(end: RunEnd | undefined): string {
  return end?.kind === 'limit' && end.isOfIssue === true
    ? 'The operator can raise `BUDGET_ISSUE`. Then write `/issuewright retry`.'
    : 'To continue from here, write `/issuewright retry`.';
}

// The reply to those who asked for something, where they asked. Markdown.

/** One line if that is enough. */
export const requestReply = (reply: RequestReply): Body =>
  sections(answerOf(reply), unpushedMerge(reply.unpushed));

function answerOf(reply: RequestReply): Body {
  const { words, finish, end, logins } = reply;
  const to = logins.map(mention).join(' ');
  if (words !== undefined) return said(to, '', words);
  if (end.kind === 'limit' && end.isStill === true) return [`${to} ${stillUsedUp(end)}`];
  if ('reason' in end) return [`${to} ${endedWith(end)} ${afterFailure(end)}`];
  const summary = finish?.summary ?? '';
  if (finish?.outcome === 'cannot')
    return said(
      to,
      `I couldn't do this${summary === '' ? ', and the model gave no reason' : ''}`,
      summary,
    );
  // Whatever was done before, nothing was done for this.
  if (finish !== undefined && (finish.outcome === 'nothing_to_do' || reply.commits.length === 0))
    return said(
      to,
      summary === '' ? "I didn't change anything, and the model gave no reason" : '',
      summary,
    );
  return said(to, done(reply), summary);
}

function endedWith(end: Extract<RequestReply['end'], { readonly reason: string }>): string {
  const opening =
    end.kind === 'limit' ? (unresolvedConflicts(end) ?? 'I stopped') : "I couldn't continue";
  return `${opening}: ${oneLine(end.reason)}`;
}

const MOST_COMMITS = 3;

/** GitHub makes links of a commit's name and of a pull request's number. */
function done({ commits, pullRequest, finish }: RequestReply): string {
  if (commits.length === 0) return 'There was nothing to change';
  const what = finish?.outcome === 'partial' ? 'Partly done' : 'Done';
  if (pullRequest !== undefined) return `${what} in #${pullRequest}`;
  const last = commits.slice(-MOST_COMMITS).map(shortSha).join(', ');
  const left = commits.length - MOST_COMMITS;
  return left > 0 ? `${what} in ${last} and ${left} before` : `${what} in ${last}`;
}

/** The first letter of a word in small letters, which is neither code nor a name such as `iOS`. */
const SENTENCE = /^\p{Ll}(?=\p{Ll}*[ ,])/u;

/** The model's words, which may be Markdown, are apart from ours if they are more than a line. */
function said(to: string, opening: string, words: string): Body {
  if (words === '') return [`${to} ${opening}.`];
  const line = oneLine(words).replace(SENTENCE, (letter) => letter.toUpperCase());
  if (isOneLine(words)) return [`${to} ${opening === '' ? '' : `${opening}: `}${line}`];
  return sections(opening === '' ? to : `${to} ${opening}.`, unquoted(words));
}
