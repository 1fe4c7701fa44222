import type { Session } from '../session.ts';
import { mention, sections } from './markdown.ts';
import { GO_ON } from './next-step.ts';

/**
 * The answer of a run without tools, to the person who asked. Markdown. The answer stands last and as
 * it is: it cannot change the layout of anything after it. Nothing is cut of it here: a secret that a cut
 * parts is none any more, so it is cut once it is redacted, by the gate.
 */
export function answerComment({ requester }: Session, answer: string): string {
  const opening = `The model's answer stands below. ${GO_ON}`;
  return sections(
    requester === undefined ? opening : `${mention(requester.login)} ${opening}`,
    '---',
    answer.toWellFormed().trim() || '_It was empty._',
  );
}
