import { z } from 'zod';
import type { ReactionPlace } from '../contracts/intent.ts';
import { ifFound } from './errors.ts';
import type { Gate } from './gate.ts';
import { mutate } from './requests/graphql.ts';
import { ownerAndRepo } from './requests/octokit.ts';

/** The reactions that GitHub has, by their names in REST, with those in GraphQL. */
const CONTENTS = {
  '+1': 'THUMBS_UP',
  '-1': 'THUMBS_DOWN',
  laugh: 'LAUGH',
  confused: 'CONFUSED',
  heart: 'HEART',
  hooray: 'HOORAY',
  rocket: 'ROCKET',
  eyes: 'EYES',
} as const;

export interface ReactionRequest {
  readonly in: ReactionPlace;
  readonly content: keyof typeof CONTENTS;
}

/**
 * Reacts as the App and returns the reaction's id. Safe to repeat: GitHub keeps one reaction of a kind
 * per account.
 */
export async function addReaction(
  gate: Gate,
  { in: place, content }: ReactionRequest,
): Promise<number> {
  const { reactions } = gate.octokit.rest;
  const reaction = { ...ownerAndRepo(gate), content, request: { repeatable: true } };
  switch (place.on) {
    case 'issue':
      return (await reactions.createForIssue({ ...reaction, issue_number: place.id })).data.id;
    case 'comment':
      return (await reactions.createForIssueComment({ ...reaction, comment_id: place.id })).data.id;
    case 'line_comment': {
      const on = { ...reaction, comment_id: place.id };
      return (await reactions.createForPullRequestReviewComment(on)).data.id;
    }
    case 'review':
      return reactToReview(gate, place, content);
    default:
      return place satisfies never;
  }
}

/** A 👍 by a person. */
export interface ThumbsUp {
  readonly id: number;
  readonly by: { readonly login: string; readonly id: number };
  /** GitHub's time of it. */
  readonly at: string;
}

const MOST_THUMBS = 30;

/** The first ones on a comment. @throws {NotFound} */
export async function thumbsUp(gate: Gate, comment: number): Promise<readonly ThumbsUp[]> {
  const { data } = await gate.octokit.rest.reactions.listForIssueComment({
    ...ownerAndRepo(gate),
    comment_id: comment,
    content: '+1',
    per_page: 100,
  });
  return data
    .flatMap(({ id, user, content, created_at: at }) =>
      user?.type === 'User' && content === '+1'
        ? [{ id, by: { login: user.login, id: user.id }, at }]
        : [],
    )
    .slice(0, MOST_THUMBS);
}

/** Removes a reaction. Does nothing if it no longer exists. */
export async function unreact(
  gate: Gate,
  { in: place, reaction }: Pick<ReactionRequest, 'in'> & { readonly reaction: number },
): Promise<void> {
  const { reactions } = gate.octokit.rest;
  const at = { ...ownerAndRepo(gate), reaction_id: reaction };
  switch (place.on) {
    case 'issue':
      await ifFound(reactions.deleteForIssue({ ...at, issue_number: place.id }));
      break;
    case 'comment':
      await ifFound(reactions.deleteForIssueComment({ ...at, comment_id: place.id }));
      break;
    case 'line_comment':
      await ifFound(reactions.deleteForPullRequestComment({ ...at, comment_id: place.id }));
      break;
    case 'review':
      await unreactToReview(gate, place, reaction);
      break;
    default:
      place satisfies never;
  }
}

type ReviewPlace = Extract<ReactionPlace, { on: 'review' }>;

/** REST has no reactions to the words of a review. */
const ADD = `mutation ($review: ID!, $content: ReactionContent!) {
  addReaction(input: { subjectId: $review, content: $content }) { reaction { databaseId } }
}`;

const REMOVE = `mutation ($review: ID!, $content: ReactionContent!) {
  removeReaction(input: { subjectId: $review, content: $content }) { reaction { databaseId } }
}`;

const REACTIONS = `query ($review: ID!) {
  node(id: $review) {
    ... on PullRequestReview { reactions(last: 100) { nodes { databaseId content } } }
  }
}`;

const Reaction = z.object({ databaseId: z.number() });
const Added = z.object({ addReaction: z.object({ reaction: Reaction }) });
const Listed = z.object({
  node: z.object({
    reactions: z.object({ nodes: z.array(Reaction.extend({ content: z.string() })) }),
  }),
});

async function reactToReview(
  gate: Gate,
  place: ReviewPlace,
  content: ReactionRequest['content'],
): Promise<number> {
  const review = await nodeOf(gate, place);
  const answer = await sendMutation(gate, ADD, { review, content: CONTENTS[content] });
  return Added.parse(answer).addReaction.reaction.databaseId;
}

async function unreactToReview(gate: Gate, place: ReviewPlace, reaction: number): Promise<void> {
  const review = await nodeOf(gate, place);
  const { nodes } = Listed.parse(await sendMutation(gate, REACTIONS, { review })).node.reactions;
  const found = nodes.find(({ databaseId }) => databaseId === reaction);
  if (found !== undefined) await sendMutation(gate, REMOVE, { review, content: found.content });
}

/** @throws {NotFound} */
async function nodeOf(gate: Gate, { id, pullRequest }: ReviewPlace): Promise<string> {
  const at = { ...ownerAndRepo(gate), pull_number: pullRequest, review_id: id };
  return (await gate.octokit.rest.pulls.getReview(at)).data.node_id;
}

const sendMutation = (
  gate: Gate,
  document: string,
  variables: Record<string, string>,
): Promise<unknown> =>
  mutate(gate, {
    document,
    variables: { ...variables, request: { repeatable: true } },
    denied: 'GitHub did not let the App react to a review',
  });
