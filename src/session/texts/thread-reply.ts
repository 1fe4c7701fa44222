// What is said in a review thread once the round of review is over. Markdown.
import type { RunEnd } from '../../contracts/entries.ts';
import type { ReviewRound, Reviews, RoundThread } from '../parts/session-reviews.ts';
import { unquoted, code, mention, oneLine, type Body } from './markdown.ts';
import { plural, shortSha } from './format.ts';
import type { Session } from '../session.ts';
import { stateOf } from '../state.ts';

/** The agent's words, or what is known without them. GitHub makes a link of a commit's name. */
export function threadReply(
  { threads, suggestions }: Reviews,
  round: ReviewRound,
  { thread, reply, comments }: RoundThread,
): Body {
  const isApplied = suggestions.some(
    ({ comment, outcome }) => outcome === 'applied' && comments.includes(comment),
  );
  const path = threads[thread - 1]?.path ?? '';
  const changed = commitsOf(round, path).map(shortSha).join(', ');
  const deed = isApplied ? 'Applied' : `Changed ${code(path)}`;
  if (reply !== undefined && changed === '') return [unquoted(reply)];
  // "Removed.", "Renamed it": a few words, to which the commit is added.
  const isDeed = /^(?:\p{L}+ed|Done)(?: [\p{L}\p{N}]+){0,3}\.?$/u.test(reply?.trim() ?? '');
  if (reply !== undefined && isDeed && !isApplied)
    return [unquoted(`${reply.trim().replace(/\.$/, '')} in ${changed}.`)];
  if (reply !== undefined) return [`${deed} in ${changed}.`, unquoted(reply)];
  if (changed !== '') return [`${deed} in ${changed}.`];
  return [nothingDone(round.end)];
}

/** The commits of a round that changed a file. */
export const commitsOf = ({ commits }: ReviewRound, path: string): readonly string[] =>
  commits.flatMap(({ sha, paths }) => (paths.includes(path) ? [sha] : []));

function nothingDone(end: RunEnd | undefined): string {
  switch (end?.kind) {
    case 'limit':
    case 'failed':
    case 'stopped':
      return `I didn't get to this: ${oneLine(end.reason)}`;
    case 'finished':
    case 'answered':
    case 'asked':
    case undefined:
      return 'I changed nothing for this. If something should change, reply and say what.';
    default:
      return end satisfies never;
  }
}

/** Said in the comment that is kept up to date, while work may follow. Empty for an issue. */
export function aboutAdopted(session: Session): string {
  const { adopted } = session.thread;
  if (adopted === undefined || stateOf(session) === 'done') return '';
  const { author, branch, fork, pushing } = adopted;
  const whose = `${oneLine(author)}'s pull request`;
  if (fork !== undefined)
    return `I'm working on ${whose}. Its branch is in a fork, so I answer with a patch and run none of its code.`;
  if (pushing === 'not_allowed')
    return `I only look at ${whose}: nobody has let me push to ${code(branch)}.`;
  return `I'm working on ${whose}. I push to ${code(branch)}, never by force.`;
}

// What people are told once a pull request has been reviewed again and again. Markdown.

export const roundsReached = ({ sinceAsked: { runs } }: Reviews): string =>
  `${plural(runs, 'round')} of review are done, the limit of this pull request (\`limits.review_rounds\`), so I stopped.`;

export function roundLimitComment({ reviews, requests: { requester } }: Session): Body {
  const to = requester === undefined ? '' : `${mention(requester.login)} `;
  return [
    `${to}${roundsReached(reviews)} To continue with your latest comments, write \`/issuewright retry\`.`,
  ];
}
