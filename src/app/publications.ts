import { createHash } from 'node:crypto';
import type { GitHubRepository } from '../github/repository.ts';
import type { Entry } from '../session/entry.ts';
import { questionKey } from '../session/fold.ts';
import type { Session } from '../session/session.ts';
import { needsRun, stateOf } from '../session/state.ts';
import { answerComment } from '../session/views/answer-comment.ts';
import { outcomeComment } from '../session/views/outcome-comment.ts';
import { pullRequestBody } from '../session/views/pull-request-body.ts';
import { questionComment } from '../session/views/question-comment.ts';
import { refusalComment } from '../session/views/refusal-comment.ts';
import { statusComment } from '../session/views/status-comment.ts';

/** Where something stands on GitHub. */
interface Published {
  readonly id: number;
  readonly url: string;
}

/** One thing that GitHub should show of a session. Its digest tells whether it shows it already. */
export interface Publication {
  readonly key: string;
  readonly digest: string;
  readonly kind: 'reaction' | 'comment' | 'pull_request_body';
  /** Brings GitHub in line; safe to repeat. `known`: the id under which it was published before. */
  publish(github: GitHubRepository, known: number | undefined): Promise<Published>;
}

interface ViewOptions {
  readonly session: string;
  readonly pageUrl: string | undefined;
  /** ISO time, shown as the last sign of life. */
  readonly now: string;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A session, its journal, and how it is to be shown. */
interface View {
  readonly session: Session;
  readonly entries: readonly Entry[];
  readonly options: ViewOptions;
}

/** All that GitHub should show of a session, in the order in which it should appear. */
export function publicationsOf(view: View): Publication[] {
  const views = [reactions, refusals, questions, answers, status, outcomes, pullRequest];
  return views.flatMap((of) => of(view));
}

interface Comment {
  readonly key: string;
  readonly body: string;
  /** Who hears of it; the requester where nobody is named. */
  readonly mention?: string;
  readonly digest?: string;
}

function comment({ session, options }: View, { key, body, mention, digest }: Comment): Publication {
  const heard = mention ?? session.requester?.login;
  const text = {
    session: options.session,
    key,
    body,
    mentions: heard === undefined ? [] : [heard],
  };
  return {
    key,
    digest: digest ?? digestOf(body),
    kind: 'comment',
    publish: (github, known) => github.comment({ ...text, issue: session.issue, known }),
  };
}

/**
 * 👀 on what was admitted: the issue for a start, the comment for a comment. A comment that waits
 * for a run that nobody has asked for gets none: nothing would come of it soon.
 */
function reactions({ session, entries }: View): Publication[] {
  const admitted = new Set(entries.flatMap((e) => (e.type === 'admitted' ? [e.received] : [])));
  if (!needsRun(session)) for (const { seq } of session.unseen) admitted.delete(seq);
  const targets = new Map<string, { on: 'issue' | 'comment'; id: number }>();
  for (const entry of entries) {
    if (entry.type !== 'received' || !admitted.has(entry.seq)) continue;
    if (entry.intent.kind === 'start') {
      targets.set('reaction:issue', { on: 'issue', id: session.issue });
    } else if (entry.intent.kind === 'comment') {
      const id = entry.intent.commentId;
      targets.set(`reaction:comment:${id}`, { on: 'comment', id });
    }
  }
  return [...targets].map(([key, target]) => ({
    key,
    digest: 'eyes',
    kind: 'reaction',
    publish: async (github) => {
      await github.react({ ...target, content: 'eyes' });
      return { id: target.id, url: '' };
    },
  }));
}

/** One comment for each person who may not start work here, however often they try. */
function refusals(view: View): Publication[] {
  const { session, entries } = view;
  const labels = new Map<string, string>();
  for (const { reason, received } of session.refused) {
    const entry = entries.find(({ seq }) => seq === received);
    if (reason !== 'no_write' || entry?.type !== 'received') continue;
    if (entry.intent.kind === 'start') labels.set(entry.sender.login, entry.intent.label);
  }
  return [...labels].map(([login, label]) => {
    const body = refusalComment(login, label);
    return comment(view, { key: `refusal:${login}`, body, mention: login });
  });
}

function questions(view: View): Publication[] {
  return view.entries.flatMap((entry) => {
    if (entry.type !== 'call_finished') return [];
    const asked = entry.effects.find((effect) => effect.type === 'question');
    if (asked === undefined) return [];
    const body = questionComment(view.session, asked);
    return [comment(view, { key: questionKey(entry.seq), body })];
  });
}

/** One for each run that answered, also when the next one began before this could be published. */
function answers(view: View): Publication[] {
  let answer: string | null = null;
  return view.entries.flatMap((entry) => {
    if (entry.type === 'reply') ({ answer } = entry);
    if (entry.type !== 'run_ended' || entry.end.kind !== 'answered') return [];
    const body = answerComment(view.session, answer ?? '');
    return [comment(view, { key: `answer:${entry.run}`, body })];
  });
}

/** The time that a comment shows is no reason to edit it: the digest leaves it out. */
function status(view: View): Publication[] {
  const { session, options } = view;
  if (session.requester === undefined) return [];
  const timeless = statusComment(session, { ...options, now: session.openedAt });
  const digest = digestOf(`${stateOf(session)}\n${timeless}`);
  return [comment(view, { key: 'status', body: statusComment(session, options), digest })];
}

function outcomes(view: View): Publication[] {
  const { session } = view;
  const body = outcomeComment(session);
  const key = `outcome:${session.run?.number ?? 0}`;
  return body === undefined ? [] : [comment(view, { key, body })];
}

function pullRequest({ session, options }: View): Publication[] {
  const { pullRequest: pull, issue: closes } = session;
  if (pull === undefined) return [];
  const body = pullRequestBody(session, { pageUrl: options.pageUrl });
  const text = { number: pull.number, session: options.session, body, closes };
  return [
    {
      key: `pull-request:${pull.number}`,
      digest: digestOf(body),
      kind: 'pull_request_body',
      publish: async (github) => {
        await github.updatePullRequest(text);
        return { id: pull.number, url: pull.url };
      },
    },
  ];
}
