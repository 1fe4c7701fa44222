// What GitHub shows on the pull request itself.
import { isTold } from '../../session/fold/checks.ts';
import {
  baseKey,
  checksKey,
  dequeuedKey,
  dismissalKey,
  patchKey,
} from '../../session/github-names.ts';
import { stateOf } from '../../session/state.ts';
import { checksComment, dequeuedComment } from '../../session/texts/check-words.ts';
import {
  DISMISSAL_DENIED,
  roundLimitComment,
  commitsOf,
  threadReply,
  baseComment,
  patchComment,
} from '../../session/texts/pull-request-comments.ts';
import { pullRequestText } from '../run/ports/forge.ts';
import {
  asOf,
  comment,
  digestOf,
  isBusy,
  type CommentToPublish,
  type Publication,
  type View,
} from './publication.ts';
import type { Patch } from '../../contracts/effect.ts';
import { isRoundLimitReached } from '../../session/requested-work.ts';
import type { ReviewRound, RoundThread } from '../../session/parts/session-reviews.ts';

/** One for each reading that people have to act on, on the pull request that it was of. */
export function checks(view: View): Publication[] {
  return view.entries.flatMap((entry) => {
    if (!isTold(entry)) return [];
    const pull = view.session.thread.pullRequest;
    if (pull === undefined || entry.result.kind !== 'failed') return [];
    const then = asOf(view, entry.seq);
    const body = checksComment(then.session, entry.sha, entry.result);
    return [comment(then, { key: checksKey(entry.seq), body, issue: pull.number })];
  });
}

/** One each time that checks failed in a merge queue, unless the settings say that checks are not looked at. */
export function dequeued(view: View): Publication[] {
  const pull = view.session.thread.pullRequest;
  const last = view.entries.findLast((entry) => entry.type === 'checks_read');
  if (pull === undefined || last?.result.kind === 'off') return [];
  return view.entries.flatMap((entry) => {
    if (entry.type !== 'received' || entry.intent.kind !== 'dequeued') return [];
    if (entry.intent.pullRequest !== pull.number) return [];
    const body = dequeuedComment(asOf(view, entry.seq).session);
    return [comment(view, { key: dequeuedKey(entry.seq), body, issue: pull.number })];
  });
}

/** One each time that the pull request below was closed, or could not be left. */
export function bases(view: View): Publication[] {
  const { pullRequest } = view.session.thread;
  const about = pullRequest === undefined ? {} : { issue: pullRequest.number };
  return view.entries.flatMap((entry) => {
    if (entry.type !== 'base_changed') return [];
    const then = asOf(view, entry.seq);
    const body = baseComment(then.session, entry);
    return body === undefined ? [] : [comment(then, { key: baseKey(entry.seq), body, ...about })];
  });
}

/** Once: further reviews say it too. */
export function deniedDismissal(view: View): Publication[] {
  const denied = view.entries.find(
    (entry) => entry.type === 'verdict_withdrawn' && entry.denied === true,
  );
  return denied === undefined
    ? []
    : [comment(view, { key: dismissalKey(denied.seq), body: [DISMISSAL_DENIED] })];
}

export function roundLimit(view: View): Publication[] {
  const { session } = view;
  const issue = session.thread.pullRequest?.number;
  if (stateOf(session) !== 'waiting(person)' || !isRoundLimitReached(session.reviews)) return [];
  const key = `rounds:${session.reviews.sinceAsked.seq}`;
  const about = issue === undefined ? {} : { issue };
  return [comment(view, { key, body: roundLimitComment(session), ...about })];
}

export function pullRequest({ session, options }: View): Publication[] {
  const { pullRequest: pull } = session.thread;
  if (pull === undefined) return [];
  const text = pullRequestText(session, { id: options.session, pageUrl: options.pageUrl });
  return [
    {
      key: `pull-request:${pull.number}`,
      digest: digestOf(text.body),
      kind: 'pull_request_body',
      duringWork: isBusy(session) ? 'waits' : undefined,
      publish: async (github) => {
        await github.updatePullRequest({ ...text, number: pull.number });
        return { id: pull.number, url: pull.url };
      },
    },
  ];
}

/** One for each patch, to the person who had requested the work then, and to the author, who applies it. */
export function patchComments({ entries, session, options }: View): CommentToPublish[] {
  const patches = entries.flatMap((entry) =>
    entry.type === 'call_finished'
      ? entry.effects.filter(isPatch).map((patch) => ({ patch, seq: entry.seq }))
      : [],
  );
  return patches.map(({ patch, seq }, index) => {
    const { requesters, requester } = session.requests;
    const asker = requesters.findLast(({ since }) => since <= seq)?.person ?? requester;
    const author = session.thread.adopted?.author;
    const logins = [asker?.login ?? '', author ?? ''].filter(isPerson);
    const to = [...new Map(logins.map((login) => [login.toLowerCase(), login])).values()];
    const isReplaced = patches.slice(index + 1).some((later) => later.patch.base === patch.base);
    const { repositoryUrl } = options;
    const body = patchComment(patch, { to, repositoryUrl, isReplaced });
    return { key: patchKey(seq), body, mention: to };
  });
}

const isPerson = (login: string): boolean => login !== '' && !login.endsWith('[bot]');

const isPatch = (effect: { readonly type: string }): effect is Patch => effect.type === 'patch';

// One reply for each thread of a round of review, once that is over.

/** On the pull request that is open: nobody waits for an answer on another. */
export function threadReplies(view: View): Publication[] {
  const { thread } = view.session;
  const pullRequest = thread.adopted ?? thread.pullRequest;
  const over = view.session.reviews.rounds.filter(
    (round) => round.end !== undefined && round.pullRequest === pullRequest?.number,
  );
  if (pullRequest?.state !== 'open') return [];
  return over.flatMap((round) =>
    round.threads
      .filter(({ work, reply }) => work === 'work' || reply !== undefined)
      .flatMap((one) => [replyOf(view, round, one), ...resolutionOf(view, round, one)]),
  );
}

const keyOf = ({ number }: ReviewRound, root: number): string => `thread:${number}:${root}`;

/** Of a thread that the agent replied in, if it changed the file. GitHub says whether it changed the lines. */
function resolutionOf(
  { session: { reviews, thread: about }, options }: View,
  round: ReviewRound,
  { thread, reply, wasOutdated }: RoundThread,
): Publication[] {
  const { root = 0, path = '' } = reviews.threads[thread - 1] ?? {};
  if (!round.resolves || about.adopted !== undefined) return [];
  if (reply === undefined || wasOutdated) return [];
  if (commitsOf(round, path).length === 0) return [];
  const upToThis = reviews.rounds.filter(({ number }) => number <= round.number);
  const answered = upToThis.flatMap(({ threads }) =>
    threads.flatMap((one) => (one.thread === thread ? one.comments : [])),
  );
  return [
    {
      key: `resolve:${round.number}:${root}`,
      digest: 'resolved',
      kind: 'label',
      publish: async (github) => {
        const key = keyOf(round, root);
        const { pullRequest } = round;
        await github.resolveThread({
          pullRequest,
          reply: { session: options.session, key },
          answered,
        });
        return NOTHING;
      },
    },
  ];
}

/** A resolved thread got no reply. Once it is open again, someone waits for one. */
function reopenedWithout(entries: View['entries'], key: string, reopenedAt?: number): boolean {
  if (reopenedAt === undefined) return false;
  const published = entries.find((entry) => entry.type === 'published' && entry.key === key);
  return published === undefined || published.seq > reopenedAt;
}

function replyOf(
  { session: { reviews }, entries, options }: View,
  round: ReviewRound,
  about: RoundThread,
): Publication {
  const { root = 0, reopenedAt } = reviews.threads[about.thread - 1] ?? {};
  const key = keyOf(round, root);
  const isWantedAgain = reopenedWithout(entries, key, reopenedAt);
  const body = threadReply(reviews, round, about);
  const { pullRequest } = round;
  const text = { session: options.session, key, body, mentions: [], whole: options.pageUrl };
  return {
    key,
    digest: digestOf(body) + (isWantedAgain ? ` ${reopenedAt}` : ''),
    kind: 'comment',
    publish: async (github, before) => {
      // 0: there was nothing to reply to.
      if (before === 0 && !isWantedAgain) return NOTHING;
      const { comments, wasResolved } = about;
      const known = before === 0 ? undefined : before;
      const reply = { ...text, pullRequest, root, comments, wasResolved, known };
      return (await github.replyToThread(reply)) ?? { ...NOTHING, id: known ?? 0 };
    },
  };
}

const NOTHING = { id: 0, url: '' };
