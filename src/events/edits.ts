// What someone wrote before, and changed.
import type { z } from 'zod';
import type { Arrival, Intent, TextPlace, ThreadText } from '../contracts/intent.ts';
import { namesApp } from '../session/said/asks.ts';
import type { DeletedComment, EditedComment, Meaning, Sender } from './payload.ts';

export const NOT_BY_AUTHOR = 'only what its author changes counts.';

/** A comment that its author changed; nothing if someone else did. `about`: what it is on. */
export function editedBy(
  sender: z.output<typeof Sender>,
  { id, node_id: node, updated_at: at, body, user }: z.output<typeof EditedComment>,
  { thread, on, about }: EditedThread & { readonly on: 'comment' | 'line_comment' },
): Meaning | undefined {
  if (user?.id !== sender.id) return undefined;
  const intent = edit({ in: { on, id }, body, at }, { thread, about });
  return { thread, meaning: `edited:${node}:${at}`, intent };
}

interface EditedThread {
  readonly thread: Arrival['thread'];
  readonly about: ThreadText;
}

interface Edit {
  readonly in: TextPlace;
  readonly body: string;
  readonly at: string;
}

/** New words somewhere. Whether they ask for something is read later, as of a comment. */
export function edit(words: Edit, { thread, about }: EditedThread): Intent {
  const addressed = { addressed: true, on: thread.on, thread: about } as const;
  return { kind: 'edited', ...words, ...(namesApp(words.body, undefined) ? addressed : {}) };
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
