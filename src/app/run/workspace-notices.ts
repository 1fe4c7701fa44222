import type { Notice } from '../../agent/agent-run.ts';
import { sparseNotice } from '../../agent/prompts/notices.ts';
import type { Session } from '../../session/session.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { mergeNotices } from './merge/merge-notices.ts';

/** Tells the model what of the repository its workspace has: a part of it, or a merge. */
export function workspaceNotices(
  session: Session,
  { outside, merge }: Pick<Workspace, 'outside' | 'merge'>,
): readonly Notice[] {
  const merged = mergeNotices(session, merge);
  if (outside.length === 0) return merged;
  const text = sparseNotice(outside.toSorted());
  return [{ topic: `sparse:${session.run?.number ?? 0}`, text }, ...merged];
}
