import type { ReceivedIntent } from './session.ts';

/** The title of the issue that a request came with. */
export function titleOf({ intent }: Pick<ReceivedIntent, 'intent'>): string | undefined {
  if (intent.kind === 'start') return intent.title;
  const isSaid = intent.kind === 'comment' || intent.kind === 'edited';
  return isSaid && intent.on === 'issue' ? intent.thread?.title : undefined;
}
