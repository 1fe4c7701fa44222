import { withoutInvisible } from '../lib/invisible.ts';
import { cutCharacters } from '../lib/text.ts';
import type { Session } from './session.ts';

/** Of a question, and of its default, as the model is reminded of them. */
const LONGEST = 600;

/**
 * What the model asked, beside what came of it: which questions there were, by number, and what holds
 * for those that nobody answered. `isAnswered`: people have said something.
 */
export function questionNote(
  question: Session['waiting']['question'],
  isAnswered: boolean,
): string {
  if (question === undefined || (!isAnswered && question.expired !== 'defaults')) return '';
  const { items } = question;
  const many = items.length > 1;
  const asked = items.map(
    ({ text, proposedAnswer }, index) =>
      `${many ? `${index + 1}. ` : ''}${brief(text)}\n   Default: ${proposedAnswer === undefined ? 'none' : brief(proposedAnswer)}`,
  );
  const opening = isAnswered
    ? `You had asked ${many ? `${items.length} questions` : 'this'}, and the answers are above, perhaps not to all of it:`
    : `Nobody answered what you asked in time, so the defaults hold:`;
  return `(${opening}\n${asked.join('\n')}\n${isAnswered ? ANSWERED : UNANSWERED})`;
}

const ANSWERED =
  'An answer names its question by number, or only by what it is about. A question that nobody answered takes its default; ask it again only where it has none, or where too much hangs on it.';
const UNANSWERED =
  'Go on with them; where there is none, decide what is easiest to change later. Say in your summary what was decided without an answer.';

const brief = (text: string): string =>
  cutCharacters(withoutInvisible(text).replaceAll(/\s+/g, ' ').trim(), LONGEST, '…');
