import { createHash } from 'node:crypto';
import type { GitHubRepository } from '../github/repository.ts';
import type { Entry } from '../session/entry.ts';
import type { Session } from '../session/session.ts';
import { stateOf } from '../session/state.ts';
import { outcomeComment } from '../session/views/outcome-comment.ts';
import { pullRequestBody } from '../session/views/pull-request-body.ts';
import { questionComment } from '../session/views/question-comment.ts';
import { refusalComment } from '../session/views/refusal-comment.ts';
import { statusComment } from '../session/views/status-comment.ts';

/** Where something stands on GitHub. */
export interface Published {
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

export interface ViewOptions {
  readonly session: string;
  readonly label: string;
  readonly pageUrl: string | undefined;
  /** ISO time, shown as the last sign of life. */
  readonly now: string;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** All that GitHub should show of a session, in the order in which it should appear. */
export function publicationsOf(
  session: Session,
  entries: readonly Entry[],
  options: ViewOptions,
): Publication[] {
  return [
    ...reactions(session, entries),
    ...refusals(session, entries, options),
    ...questions(session, entries, options),
    ...status(session, options),
    ...outcomes(session, options),
    ...pullRequest(session, options),
  ];
}

function comment(
  session: Session,
  options: ViewOptions,
  key: string,
  body: string,
  digest = digestOf(body),
): Publication {
  const mentions = session.requester === undefined ? [] : [session.requester.login];
  return {
    key,
    digest,
    kind: 'comment',
    publish: (github, known) =>
      github.comment({
        issue: session.issue,
        session: options.session,
        key,
        body,
        mentions,
        ...(known === undefined ? {} : { known }),
      }),
  };
}

/** 👀 on what was admitted: the issue for a start, the comment for a comment. */
function reactions(session: Session, entries: readonly Entry[]): Publication[] {
  const admitted = new Set(entries.flatMap((e) => (e.type === 'admitted' ? [e.received] : [])));
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
function refusals(
  session: Session,
  entries: readonly Entry[],
  options: ViewOptions,
): Publication[] {
  const logins = session.refused.flatMap(({ reason, received }) => {
    const entry = entries.find(({ seq }) => seq === received);
    return reason === 'no_write' && entry?.type === 'received' && entry.intent.kind === 'start'
      ? [entry.sender.login]
      : [];
  });
  return [...new Set(logins)].map((login) =>
    comment(session, options, `refusal:${login}`, refusalComment(login, options.label)),
  );
}

function questions(
  session: Session,
  entries: readonly Entry[],
  options: ViewOptions,
): Publication[] {
  return entries.flatMap((entry) => {
    if (entry.type !== 'call_finished') return [];
    const asked = entry.effects.find((effect) => effect.type === 'question');
    if (asked === undefined) return [];
    const key = `question:${entry.seq}`;
    return [comment(session, options, key, questionComment(session, asked.text))];
  });
}

/** The time that a comment shows is no reason to edit it: the digest leaves it out. */
function status(session: Session, options: ViewOptions): Publication[] {
  if (session.requester === undefined) return [];
  const timeless = statusComment(session, { ...options, now: session.openedAt });
  const body = statusComment(session, options);
  const digest = digestOf(`${stateOf(session)}\n${timeless}`);
  return [comment(session, options, 'status', body, digest)];
}

function outcomes(session: Session, options: ViewOptions): Publication[] {
  const body = outcomeComment(session, options.label);
  const run = session.run?.number ?? 0;
  return body === undefined ? [] : [comment(session, options, `outcome:${run}`, body)];
}

function pullRequest(session: Session, options: ViewOptions): Publication[] {
  const { pullRequest: pull } = session;
  if (pull === undefined) return [];
  const body = pullRequestBody(session, { pageUrl: options.pageUrl });
  return [
    {
      key: `pull-request:${pull.number}`,
      digest: digestOf(body),
      kind: 'pull_request_body',
      publish: async (github) => {
        const { issue: closes } = session;
        await github.updatePullRequest({
          number: pull.number,
          session: options.session,
          body,
          closes,
        });
        return { id: pull.number, url: pull.url };
      },
    },
  ];
}
