// How people see that their request was read, how it ended, or why it was rejected.
import type { ReactionRequest } from '../../github/reactions.ts';
import type { EntryOf } from '../../session/entry.ts';
import { needsRun } from '../../session/state.ts';
import { rejectionComment } from '../../session/texts/comments.ts';
import type { Comment, Publication, View } from './publication.ts';

type Target = Pick<ReactionRequest, 'on' | 'id'>;

/**
 * 👀 on what is being worked on, 🚀 or 😕 once that has ended; 👍 on a command that was applied, 😕 if
 * it had no effect or was rejected.
 */
export function reactions(view: View): Publication[] {
  const { session, entries } = view;
  const orders = session.requests.commands.map(({ commentId: id, applied }) =>
    reaction('order', { on: 'comment', id }, applied ? '+1' : 'confused'),
  );
  const rejected = session.requests.rejected.flatMap(({ notify, received }) => {
    const entry = entries[received - 1];
    if (notify !== true || entry?.type !== 'received' || entry.intent.kind !== 'comment') return [];
    return [reaction('order', { on: 'comment', id: entry.intent.commentId }, 'confused')];
  });
  const ends = session.requests.triggers.flatMap(({ result, ...target }) =>
    result === undefined
      ? []
      : [reaction('end', target, result === 'good' ? 'rocket' : 'confused')],
  );
  return [...heard(view), ...orders, ...rejected, ...ends];
}

/**
 * A comment gets no 👀 if it waits for a run that no one has requested: nothing would happen soon. A
 * comment that waits for the end of a pause gets it.
 */
function heard({ session, entries }: View): Publication[] {
  const admitted = new Set(entries.flatMap((e) => (e.type === 'admitted' ? [e.received] : [])));
  if (!needsRun({ ...session, waiting: { ...session.waiting, pausedBy: undefined } }))
    for (const { seq } of session.requests.unread) admitted.delete(seq);
  const commands = new Set(session.requests.commands.map(({ commentId }) => commentId));
  const targets = new Map<string, Target>();
  for (const entry of entries) {
    if (entry.type !== 'received' || !admitted.has(entry.seq)) continue;
    const { intent } = entry;
    if (intent.kind === 'start') targets.set('issue', { on: 'issue', id: session.thread.issue });
    else if (intent.kind === 'comment' && !commands.has(intent.commentId))
      targets.set(String(intent.commentId), { on: 'comment', id: intent.commentId });
  }
  return [...targets.values()].map((target) => reaction('reaction', target, 'eyes'));
}

/** One of each kind per target; a new reaction replaces the previous one. */
function reaction(
  kind: 'reaction' | 'order' | 'end',
  target: Target,
  content: ReactionRequest['content'],
): Publication {
  const { on, id } = target;
  return {
    key: on === 'issue' ? `${kind}:issue` : `${kind}:comment:${id}`,
    digest: content,
    kind: 'reaction',
    publish: async (github, known) => {
      if (known !== undefined) await github.unreact({ on, id, reaction: known });
      return { id: await github.react({ on, id, content }), url: '' };
    },
  };
}

/** Only this many people get a comment, so that a crowd cannot make us post a flood of comments. */
const MOST_ANSWERED = 5;

/** One comment for each person whose requests were rejected, however often they try. */
export function rejectionComments({ session, entries }: View): Comment[] {
  const told = new Map<string, { rejection: EntryOf<'rejected'>; entry: EntryOf<'received'> }>();
  for (const rejection of session.requests.rejected) {
    const entry = entries[rejection.received - 1];
    if (rejection.notify !== true || entry?.type !== 'received') continue;
    const { login } = entry.sender;
    if (!told.has(login) && told.size < MOST_ANSWERED) told.set(login, { rejection, entry });
  }
  return [...told].map(([login, { rejection, entry }]) => {
    const { intent } = entry;
    const isOnPull =
      intent.kind === 'check_action' || (intent.kind === 'comment' && intent.on === 'pull_request');
    return {
      key: `rejection:${login.replaceAll(/[^\w.-]/g, '-')}`,
      body: [rejectionComment(login, rejection, intent)],
      mention: login,
      ...(isOnPull ? { issue: session.thread.pullRequest?.number ?? session.thread.issue } : {}),
    };
  });
}
