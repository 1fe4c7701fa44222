// Reactions to the words of a review: only GraphQL has them.
import { react, unreact } from '../actions/reactions.ts';
import { unresolved } from '../github-error.ts';
import { association } from '../payloads/user.ts';
import { admit } from '../rest/access.ts';
import type { RestRequest } from '../rest/route.ts';
import type { Reaction, ReactionContent, Repository, Review } from '../state.ts';
import { nodeId, parseNodeId } from '../state.ts';
import { connection, type Paging } from './connection.ts';
import { actorNode } from './review-threads.ts';

const CONTENTS: ReadonlyMap<string, ReactionContent> = new Map([
  ['THUMBS_UP', '+1'],
  ['THUMBS_DOWN', '-1'],
  ['LAUGH', 'laugh'],
  ['HOORAY', 'hooray'],
  ['CONFUSED', 'confused'],
  ['HEART', 'heart'],
  ['ROCKET', 'rocket'],
  ['EYES', 'eyes'],
]);
const NAMES = new Map([...CONTENTS].map(([name, content]) => [content, name]));

interface Input {
  readonly input: {
    readonly subjectId: string;
    readonly content: string;
    readonly clientMutationId?: string | null;
  };
}

export interface FoundReview {
  readonly repository: Repository;
  readonly review: Review;
}

/** `undefined` for an id of something else. */
export function findReviewById({ services }: RestRequest, id: string): FoundReview | undefined {
  const parsed = parseNodeId(id);
  if (parsed?.kind !== 'PRR') return undefined;
  for (const repository of services.world.repositories.values()) {
    const review = repository.reviews.find((one) => one.id === parsed.id);
    if (review !== undefined) return { repository, review };
  }
  return undefined;
}

/** Each content, with those who used it. */
export const reactionGroups = (reactions: readonly Reaction[]) =>
  [...CONTENTS].map(([name, content]) => ({
    content: name,
    users: (paging: Paging) => {
      const found = reactions.filter((one) => one.content === content);
      return connection(
        'users',
        found.map(({ user }) => actorNode(user)),
        paging,
      );
    },
  }));

export const reviewNode = (review: Review, repository: Repository) => ({
  __typename: 'PullRequestReview',
  id: nodeId('PRR', review.id),
  databaseId: review.id,
  author: actorNode(review.author),
  authorAssociation: association(repository, review.author),
  body: review.body,
  state: review.state,
  submittedAt: review.submittedAt,
  commit: { oid: review.commitSha },
  reactionGroups: reactionGroups(review.reactions),
  reactions: ({ content, ...paging }: Paging & { readonly content?: string | null }) => {
    const wanted = CONTENTS.get(content ?? '');
    const found = review.reactions.filter((one) => wanted === undefined || one.content === wanted);
    return connection('reactions', found.map(reactionNode), paging);
  },
});

const reactionNode = ({ id, content, createdAt, user }: Reaction) => ({
  __typename: 'Reaction',
  id: nodeId('REA', id),
  databaseId: id,
  content: NAMES.get(content) ?? '',
  createdAt,
  user: actorNode(user),
});

export const reactionMutations = (request: RestRequest) => {
  const subjectOf = ({ input: { subjectId, content } }: Input) => {
    const found = findReviewById(request, subjectId);
    if (found === undefined) throw unresolved(subjectId);
    const { services, actor } = request;
    const { repository, review } = found;
    const user = admit(services.world, actor, repository, 'pull_requests:write', 'read');
    const payload = { clientMutationId: null, subject: reviewNode(review, repository) };
    return { review, user, payload, wanted: CONTENTS.get(content) ?? 'eyes' };
  };
  return {
    addReaction: (given: Input) => {
      const { review, user, payload, wanted } = subjectOf(given);
      const { reaction } = react(request.services, user, review.reactions, wanted);
      return { ...payload, reaction: reactionNode(reaction) };
    },
    removeReaction: (given: Input) => {
      const { review, user, payload, wanted } = subjectOf(given);
      const own = review.reactions.find((one) => one.content === wanted && one.user.id === user.id);
      if (own !== undefined) unreact(request.services, review.reactions, own.id);
      return { ...payload, reaction: own === undefined ? null : reactionNode(own) };
    },
  };
};
