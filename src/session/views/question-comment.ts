import type { Session } from '../session.ts';
import { mention, quoted, sections } from './markdown.ts';

const MAX_QUESTION = 20_000;

/** A question of the agent, to the person who asked for the work. Markdown. */
export function questionComment({ requester }: Session, question: string): string {
  const opening = 'A question before the work can go on:';
  return sections(
    requester === undefined ? opening : `${mention(requester.login)} ${opening}`,
    quoted(question, MAX_QUESTION),
    'Reply to this issue in plain words. The work goes on with your answer.',
  );
}
