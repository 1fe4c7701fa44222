// One reply for each thread of a round of review, once that is over.
import { digestOf, type Publication, type View } from './publication.ts';
import type { ReviewRound, RoundThread } from '../../session/parts/session-reviews.ts';
import { commitsOf, threadReply } from '../../session/texts/thread-reply.ts';

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
