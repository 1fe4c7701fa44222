import type { PublishedPlace } from '../../github/comments.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { isLookDue } from '../../session/checks/due.ts';
import type { Person } from '../../contracts/intent.ts';
import type { Entry } from '../../session/entry.ts';
import type { Session } from '../../session/session.ts';
import { stateOf, type State } from '../../session/state.ts';
import { plainBody, type Body } from '../../session/texts/markdown.ts';
import { createHash } from 'node:crypto';

/** One thing that GitHub should show of a session. The digest tells whether GitHub already shows it. */
export interface Publication {
  readonly key: string;
  readonly digest: string;
  /**
   * It changes all the time, and is edited as the write budget allows. If the first word of its digest has
   * changed, a person waits for the edit: work has begun, for example.
   */
  readonly isLive?: boolean;
  /**
   * A run works, or is about to: it is published when that ends or pauses, since nobody needs the steps in between.
   * `waits if shown`: only if nothing is shown of it yet, it is published at once.
   */
  readonly duringWork?: 'waits' | 'waits if shown' | undefined;
  /** If nothing is shown of it yet, it is published then. */
  readonly newFrom?: Date | undefined;
  /** What is shown is not edited before: what happens until then is shown with it, or in its place. */
  readonly notBefore?: Date | undefined;
  /** Only what is shown with a digest that begins so is edited. */
  readonly onlyAfter?: string;
  readonly kind: 'reaction' | 'comment' | 'label' | 'pull_request_body' | 'check_run';
  /** Publishes it; safe to repeat. `known`: the id under which it was published before. */
  publish(github: GitHubRepository, known: number | undefined): Promise<PublishedPlace>;
}

interface ViewOptions {
  readonly session: string;
  readonly pageUrl: string | undefined;
  /** Where people see the repository. */
  readonly repositoryUrl?: string | undefined;
  /** ISO time, shown while a run works. */
  readonly now: string;
  /** Among the sessions that wait for a slot, from 1. */
  readonly place?: number | undefined;
}

/** A session, its journal, and how it is to be shown. */
export interface View {
  readonly session: Session;
  readonly entries: readonly Entry[];
  readonly options: ViewOptions;
}

/** A run works, or is about to. */
export const isBusy = (session: Session): boolean =>
  session.run?.deferred === undefined && BUSY.has(stateOf(session));

const BUSY: ReadonlySet<State> = new Set(['queued', 'working']);

/** Of what says that it works, only the status is for whoever acted; anything else is shown if it takes longer than a moment. */
const SHORT_RUN_MS = 20_000;
/** Once a run has pushed, the checks are read, which says more than its end. */
const CHECKS_READ_MS = 5_000;

/** When the status shows that a run works, or how it ended, in place of what it shows; `undefined`: now. Whoever acted sees at once that it counts. */
export function statusShownFrom(session: Session): Date | undefined {
  const { requests, run } = session;
  // No other run began since a person said something. The first run of a session is announced by its first status.
  const isBegunByPerson = requests.botOnlyRuns <= 1 && (run?.number ?? 1) > 1;
  return isBusy(session) && isBegunByPerson ? undefined : shownFrom(session);
}

/** The same for everything else. */
export function shownFrom(session: Session): Date | undefined {
  const { run } = session;
  if (run === undefined) return undefined;
  if (isBusy(session) && run.end === undefined) return after(run.startedAt, SHORT_RUN_MS);
  return run.endedAt !== undefined && isLookDue(session)
    ? after(run.endedAt, CHECKS_READ_MS)
    : undefined;
}

const after = (time: string, ms: number): Date => new Date(Date.parse(time) + ms);

export interface CommentToPublish {
  readonly key: string;
  readonly body: Body;
  /** Logins of who is notified; the requester by default. */
  readonly mention?: string | readonly string[];
  readonly digest?: string;
  /** The issue or pull request to comment on; the session's issue by default. */
  readonly issue?: number;
}

/** A comment as it is published: in the name of the session, and mentioning whom it answers. */
export function comment(
  { session, options }: View,
  { key, body, mention, digest, issue = session.thread.issue }: CommentToPublish,
): Publication {
  const heard = mention ?? session.requests.requester?.login ?? [];
  const text = {
    session: options.session,
    key,
    body,
    mentions: typeof heard === 'string' ? [heard] : heard,
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
export function asOf(view: View, seq: number, asked?: Person): View {
  const { requests } = view.session;
  const then = asked ?? requests.requesters.findLast(({ since }) => since <= seq)?.person;
  const requester = then ?? requests.requester;
  return { ...view, session: { ...view.session, requests: { ...requests, requester } } };
}

export const digestOf = (body: Body): string =>
  createHash('sha256').update(plainBody(body)).digest('hex');
