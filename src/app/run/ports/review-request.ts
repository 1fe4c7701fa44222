// What the reviewer of a change learns of the work besides the diff: what people asked for, and what the agent said.
import type { Effect } from '../../../contracts/effect.ts';
import { cutMiddle, quoteLines } from '../../../lib/text/text.ts';
import type { Entry } from '../../../session/entry.ts';
import { openRound } from '../../../session/parts/session-reviews.ts';
import type { Session } from '../../../session/session.ts';
import { notSent } from '../../../agent/prompts/item.ts';
import { withoutFileList } from '../../../agent/prompts/notices.ts';

/** The request, what was asked, said and replied after it, the plan, replies in threads, and the title. */
export function reviewRequest(session: Session, entries: readonly Entry[]): string {
  const request = entries.find((entry) => entry.type === 'input_read');
  const said = entries.flatMap((entry) => {
    if (entry.type !== 'input_read') return [...questionsIn(entry).map(asked), ...repliesIn(entry)];
    const text = withoutHunks(withoutNotes(withoutFileList(entry.text)));
    const { images = [] } = entry;
    const whole = [text, images.length === 0 ? '' : notSent(images)].filter(isThere).join('\n\n');
    return [entry === request ? whole : cutMiddle(whole, MAX_LATER)];
  });
  const { work, reviews, thread } = session;
  const plan = work.plan.map(({ title, done }) => `- [${done ? 'x' : ' '}] ${title}`);
  const replies = (openRound(reviews)?.threads ?? []).flatMap(({ thread: number, reply }) =>
    reply === undefined ? [] : [`- Thread ${number}: ${oneLine(reply)}`],
  );
  const title = thread.pullRequest?.title;
  return [
    ...said,
    plan.length === 0 ? '' : `# The author's plan\n${quoteLines(plan.join('\n'))}`,
    replies.length === 0
      ? ''
      : `# The author's replies in review threads\n${quoteLines(replies.join('\n'))}`,
    title === undefined ? '' : `# The title of the pull request\n${quoteLines(oneLine(title))}`,
  ]
    .filter(isThere)
    .join('\n\n');
}

const isThere = (text: string): boolean => text !== '';

/** What people said is quoted, and headings say who; notes of the service to the agent are paragraphs in parentheses. */
export const withoutNotes = (text: string): string =>
  text
    .split('\n\n')
    .filter((paragraph) => !(paragraph.startsWith('(') && paragraph.endsWith(')')))
    .join('\n\n');

/** The lines of the diff above a comment on lines: all of the diff follows. Whatever people wrote is quoted. */
const withoutHunks = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('    '))
    .join('\n');

type Question = Extract<Effect, { type: 'question' }>;

/** What the agent asked: without that, nobody understands the answer. */
const questionsIn = (entry: Entry): readonly Question[] =>
  'effects' in entry
    ? entry.effects.flatMap((effect) =>
        effect.type === 'question' && effect.about === undefined ? [effect] : [],
      )
    : [];

/** What it told people during the work, in the order of what they said. */
const repliesIn = (entry: Entry): readonly string[] =>
  'effects' in entry
    ? entry.effects.flatMap((effect) =>
        effect.type === 'reply'
          ? [
              `# The author's reply to @${effect.to}\n\n${quoteLines(cutMiddle(effect.text, MAX_LATER))}`,
            ]
          : [],
      )
    : [];

function asked({ text, items = [] }: Question): string {
  const all = items.length === 0 ? [{ text }] : items;
  const words = all.map(({ text: question, proposedAnswer }, index) => {
    const number = all.length === 1 ? '' : `${index + 1}. `;
    const proposed = proposedAnswer === undefined ? '' : `\nProposed: ${proposedAnswer}`;
    return `${number}${question}${proposed}`;
  });
  return `# The author asked\n\n${quoteLines(words.join('\n'))}`;
}

/** Characters of what was said at once after the request. */
const MAX_LATER = 4_000;
const MAX_LINE = 1_000;

const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).toWellFormed()}…`;
};
