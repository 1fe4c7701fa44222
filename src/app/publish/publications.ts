import { createHash } from 'node:crypto';
import { TellPerson } from '../../lib/errors.ts';
import type { EntryOf } from '../../session/entry.ts';
import type { AskedFor } from '../../contracts/intent.ts';
import { planKey, questionKey, QUESTION_LABEL } from '../../session/github-names.ts';
import type { Session } from '../../session/session.ts';
import { isQuestionOpen, stateOf } from '../../session/state.ts';
import {
  answerComment,
  helpComment,
  outcomeComment,
  planComment,
  questionComment,
} from '../../session/texts/comments.ts';
import { textOf, type Body } from '../../session/texts/body.ts';
import { statusComment } from '../../session/texts/status-comment.ts';
import { reactions, rejectionComments } from './acknowledgements.ts';
import { memoryComments } from './memory-answers.ts';
import { pullRequestText } from '../run/ports/forge.ts';
import type { Comment, Publication, View } from './publication.ts';

const digestOf = (body: Body): string => createHash('sha256').update(textOf(body)).digest('hex');

/** All that GitHub should show of a session, in the order in which it should appear. */
export function publicationsOf(view: View): Publication[] {
  const views = [help, questions, plans, questionLabel, answers, status, outcomes, pullRequest];
  const answered = [
    ...reactions(view),
    ...[...rejectionComments(view), ...memoryComments(view)].map((text) => comment(view, text)),
  ];
  return [...answered, ...views.flatMap((of) => of(view))];
}

function comment(
  { session, options }: View,
  { key, body, mention, digest, issue = session.thread.issue }: Comment,
): Publication {
  const heard = mention ?? session.requests.requester?.login;
  const text = {
    session: options.session,
    key,
    body,
    mentions: heard === undefined ? [] : [heard],
    whole: options.pageUrl,
  };
  return {
    key,
    digest: digest ?? digestOf(body),
    kind: 'comment',
    publish: (github, known) => github.comment({ ...text, issue, known }),
  };
}

/** The person who was asked: someone who requests work later is not mentioned in earlier questions. */
function asOf(view: View, seq: number): View {
  const { requests } = view.session;
  const then = requests.requesters.findLast(({ since }) => since <= seq)?.person;
  const requester = then ?? requests.requester;
  return { ...view, session: { ...view.session, requests: { ...requests, requester } } };
}

/** Changes each time a person asks for the status, so that a deleted comment is posted again. */
function digestToday({ session }: View, body: Body): string {
  const times = timesAsked(session);
  return times === 0 ? digestOf(body) : `${digestOf(body)} ${times}`;
}

function questions(view: View): Publication[] {
  return view.entries.flatMap((entry) => {
    if (entry.type !== 'call_finished') return [];
    const asked = entry.effects.find((effect) => effect.type === 'question');
    if (asked === undefined) return [];
    const then = asOf(view, entry.seq);
    const body = questionComment(then.session, asked);
    const isWaiting =
      view.session.waiting.question?.seq === entry.seq && isQuestionOpen(view.session);
    const digest = isWaiting ? digestToday(view, body) : digestOf(body);
    return [comment(then, { key: questionKey(entry.seq), body, digest })];
  });
}

/** For people who filter their issues by label. If GitHub denies it, nothing else waits for it. */
function questionLabel({ session, entries }: View): Publication[] {
  const { issue } = session.thread;
  const isAsked = ({ effects }: EntryOf<'call_finished'>): boolean =>
    effects.some(({ type }) => type === 'question');
  if (!entries.some((entry) => entry.type === 'call_finished' && isAsked(entry))) return [];
  const isOpen = isQuestionOpen(session);
  return [
    {
      key: 'label:question',
      digest: isOpen ? 'on' : 'off',
      kind: 'label',
      publish: async (github) => {
        try {
          await (isOpen
            ? github.addLabel(issue, QUESTION_LABEL)
            : github.removeLabel(issue, QUESTION_LABEL));
        } catch (error) {
          if (!(error instanceof TellPerson)) throw error;
        }
        return { id: 0, url: '' };
      },
    },
  ];
}

/** One for each plan that people have, or had, to agree to. */
function plans(view: View): Publication[] {
  return view.entries.flatMap((entry) => {
    if (entry.type !== 'call_finished') return [];
    const plan = entry.effects.find((effect) => effect.type === 'plan');
    if (plan?.needsApproval !== true) return [];
    const then = asOf(view, entry.seq);
    const body = planComment(then.session, plan.items);
    return [comment(then, { key: planKey(entry.seq), body })];
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

const timesAsked = ({ requests: { commands: commandRequests } }: Session): number =>
  commandRequests.filter((order) => order.applied && SHOWN.has(order.command)).length;

/** Once for a session, however often it is asked for. */
function help(view: View): Publication[] {
  const isWanted = view.session.requests.commands.some((order) => HELPED.has(order.command));
  return isWanted ? [comment(view, { key: 'help', body: helpComment() })] : [];
}

const HELPED: ReadonlySet<AskedFor> = new Set(['help', 'unclear']);

/**
 * The digest leaves out the time that the comment shows, because the time alone is no reason to edit it. Its
 * first word is the part that is published without waiting.
 */
function status(view: View): Publication[] {
  const { session, options } = view;
  if (session.requests.requester === undefined) return [];
  const state = stateOf(session);
  const asked = timesAsked(session);
  const deferred = session.run?.deferred?.until;
  const pressing = digestOf([JSON.stringify([state, asked, deferred])]).slice(0, 8);
  const timeless = statusComment(session, { ...options, now: session.thread.openedAt });
  const digest = `${pressing} ${digestOf(timeless)}`;
  const isLive = state === 'working' && deferred === undefined;
  return [
    { ...comment(view, { key: 'status', body: statusComment(session, options), digest }), isLive },
  ];
}

function outcomes(view: View): Publication[] {
  const { session } = view;
  const body = outcomeComment(session);
  const key = `outcome:${session.run?.number ?? 0}`;
  return body === undefined ? [] : [comment(view, { key, body })];
}

function pullRequest({ session, options }: View): Publication[] {
  const { pullRequest: pull } = session.thread;
  if (pull === undefined) return [];
  const text = pullRequestText(session, { id: options.session, pageUrl: options.pageUrl });
  return [
    {
      key: `pull-request:${pull.number}`,
      digest: digestOf(text.body),
      kind: 'pull_request_body',
      publish: async (github) => {
        await github.updatePullRequest({ ...text, number: pull.number });
        return { id: pull.number, url: pull.url };
      },
    },
  ];
}
