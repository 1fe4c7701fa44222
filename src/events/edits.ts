// What someone wrote before, and changed.
import type { z } from 'zod';
import type { Arrival } from '../contracts/intent.ts';
import type { DeletedComment, EditedComment, Sender } from './payload.ts';
import type { Meaning } from './reader.ts';

export const NOT_BY_AUTHOR = 'only what its author changes counts.';

/** A comment that its author changed; nothing if someone else did. */
export function editedBy(
  sender: z.output<typeof Sender>,
  { id, node_id: node, updated_at: at, body, user }: z.output<typeof EditedComment>,
  thread: Arrival['thread'],
  on: 'comment' | 'line_comment',
): Meaning | undefined {
  if (user?.id !== sender.id) return undefined;
  return {
    thread,
    meaning: `edited:${node}:${at}`,
    intent: { kind: 'edited', in: { on, id }, body, at },
  };
}

/** A comment that is gone, whoever deleted it. */
export const deleted = (
  { id, node_id: node }: z.output<typeof DeletedComment>,
  thread: Arrival['thread'],
  on: 'comment' | 'line_comment',
): Meaning => ({
  thread,
  meaning: `deleted:${node}`,
  intent: { kind: 'deleted', in: { on, id } },
});
