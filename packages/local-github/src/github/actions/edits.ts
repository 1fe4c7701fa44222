import type { Hub } from '../hub.ts';
import type { Repository, User } from '../state.ts';
import { editComment, findComment } from './comments.ts';
import { findPull } from './pulls.ts';
import { editReviewComment } from './review-comments.ts';

/** A comment in a conversation, or on lines of a pull request: no two have one id. */
export function editAnyComment(
  hub: Hub,
  repository: Repository,
  actor: User,
  id: number,
  body: string,
): void {
  const onLines = repository.reviewComments.find((one) => one.id === id);
  if (onLines === undefined)
    return editComment(hub, repository, actor, findComment(repository, id), body);
  const pull = findPull(repository, onLines.pullNumber);
  return editReviewComment(hub, repository, actor, pull, onLines, body);
}
