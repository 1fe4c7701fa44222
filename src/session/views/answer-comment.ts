import { cutCharacters } from '../../lib/text.ts';
import type { Session } from '../session.ts';
import { mention, sections } from './markdown.ts';
import { GO_ON } from './next-step.ts';

const MAX_ANSWER = 50_000;

/**
 * The answer of a run without tools, to the person who asked. Markdown. The answer stands last and as
 * it is: it cannot change the layout of anything after it.
 */
export function answerComment({ requester }: Session, answer: string): string {
  const opening = `The model's answer stands below. ${GO_ON}`;
  return sections(
    requester === undefined ? opening : `${mention(requester.login)} ${opening}`,
    '---',
    cutCharacters(answer.toWellFormed().trim(), MAX_ANSWER) || '_It was empty._',
  );
}
