// What people change in their words before the model has read them.
import type { TextPlace } from '../contracts/intent.ts';
import type { CommentThread, LineComment, ShownText } from '../contracts/shown-text.ts';
import type { Admitted } from './session.ts';

/** Whether the text is that of the item, or of a comment in it. A yes that was acted on stays as it was. */
export function hasText({ intent, lineComments, approves }: Admitted, place: TextPlace): boolean {
  if (approves !== undefined) return false;
  if (place.on === 'line_comment')
    return lineComments.some(({ thread }) => thread?.comment === place.id);
  return place.on === 'comment'
    ? intent.kind === 'comment' && intent.commentId === place.id
    : intent.kind === 'review' && intent.reviewId === place.id;
}

interface Edit {
  readonly in: TextPlace;
  readonly shown: ShownText | undefined;
  readonly suggestion: CommentThread['suggestion'];
}

/** The item with other words. What it asks for stays: an edit starts nothing and gives no command. */
export function edited(item: Admitted, edit: Edit): Admitted {
  const { in: place, shown } = edit;
  if (!hasText(item, place)) return item;
  if (place.on !== 'line_comment') return { ...item, shown };
  return {
    ...item,
    lineComments: item.lineComments.map((comment) =>
      comment.thread?.comment === place.id ? withText(comment, comment.thread, edit) : comment,
    ),
  };
}

function withText(
  { path, line }: LineComment,
  { suggestion: _before, asksNothing: _praise, ...thread }: CommentThread,
  { shown, suggestion }: Edit,
): LineComment {
  const about = suggestion === undefined ? thread : { ...thread, suggestion };
  return { path, line, ...(shown ?? { body: '' }), thread: about };
}
