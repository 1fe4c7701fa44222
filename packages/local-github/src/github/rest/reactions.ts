import { z } from 'zod';
import { react, unreact } from '../actions/reactions.ts';
import { GitHubError } from '../github-error.ts';
import { reactionPayload } from '../payloads/reaction.ts';
import type { Issue, Reaction } from '../state.ts';
import { REACTIONS } from '../state.ts';
import { commentOf, onComment } from './comments.ts';
import { issueOf, onIssue } from './issues.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { noContent, numberParam, page, parseBody } from './route.ts';

const ReactionBody = z.object({ content: z.enum(REACTIONS) });

/** Reactions to a locked conversation are not allowed, even with write access. */
function checkOpen(thread: Issue | undefined): void {
  if (thread?.locked === true)
    throw new GitHubError(
      'locked-reactions',
      403,
      'Unable to create reaction because issue is locked.',
    );
}

function issueOfComment(request: RepositoryRequest): Issue | undefined {
  const { issueNumber } = commentOf(request);
  return request.repository.issues.find(({ number }) => number === issueNumber);
}

/** The three reaction routes of an issue or a comment. */
function routesBelow(
  path: string,
  permission: (level: 'read' | 'write') => RepositoryRoute['permission'],
  reactionsOf: (request: RepositoryRequest) => Reaction[],
  threadOf: (request: RepositoryRequest) => Issue | undefined = () => undefined,
): RepositoryRoute[] {
  return [
    {
      method: 'GET',
      path: `${path}/reactions`,
      permission: permission('read'),
      handle: (request) => {
        const { content } = request.query;
        const reactions = reactionsOf(request).filter(
          (one) => content === undefined || one.content === content,
        );
        return page(request, reactions, (one) => reactionPayload(request.services.world, one));
      },
    },
    {
      method: 'POST',
      path: `${path}/reactions`,
      permission: permission('write'),
      handle: (request) => {
        const { services, user, body } = request;
        const { content } = parseBody(ReactionBody, body);
        checkOpen(threadOf(request));
        const { reaction, isNew } = react(services, user, reactionsOf(request), content);
        return { status: isNew ? 201 : 200, body: reactionPayload(services.world, reaction) };
      },
    },
    {
      method: 'DELETE',
      path: `${path}/reactions/:reaction`,
      permission: permission('write'),
      handle: (request) => {
        unreact(request.services, reactionsOf(request), numberParam(request, 'reaction'));
        return noContent;
      },
    },
  ];
}

function reviewCommentReactions(request: RepositoryRequest): Reaction[] {
  const id = numberParam(request, 'id');
  const comment = request.repository.reviewComments.find((one) => one.id === id);
  if (comment === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return comment.reactions;
}

export const reactionRoutes: readonly RepositoryRoute[] = [
  ...routesBelow('/issues/:number', onIssue, (request) => issueOf(request).reactions, issueOf),
  ...routesBelow(
    '/issues/comments/:id',
    onComment,
    (request) => commentOf(request).reactions,
    issueOfComment,
  ),
  ...routesBelow(
    '/pulls/comments/:id',
    (level) => `pull_requests:${level}`,
    reviewCommentReactions,
  ),
];
