// What the reviewer of a change learns of the work besides the diff: what people asked for, and what the agent said.
import { quoteLines } from '../../../lib/text/text.ts';
import type { Entry } from '../../../session/entry.ts';
import { openRound } from '../../../session/parts/session-reviews.ts';
import type { Session } from '../../../session/session.ts';
import { notSent } from '../../../agent/prompts/images.ts';
import { withoutFileList } from '../../../agent/prompts/notices.ts';

/** The request whole, what was said after it in a line each, the plan, replies in threads, and the title. */
export function reviewRequest(session: Session, entries: readonly Entry[]): string {
  const [first = '', ...later] = entries.flatMap((entry) =>
    entry.type === 'input_read'
      ? [
          [withoutNotes(withoutFileList(entry.text)), images(entry.images)]
            .filter(isThere)
            .join('\n\n'),
        ]
      : [],
  );
  const { work, reviews, thread } = session;
  const plan = work.plan.map(({ title, done }) => `- [${done ? 'x' : ' '}] ${title}`);
  const replies = (openRound(reviews)?.threads ?? []).flatMap(({ thread: number, reply }) =>
    reply === undefined ? [] : [`- Thread ${number}: ${oneLine(reply)}`],
  );
  const title = thread.pullRequest?.title;
  return [
    first,
    ...later.map(inLines),
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

const images = (all: Parameters<typeof notSent>[0] = []): string =>
  all.length === 0 ? '' : notSent(all);

/** What people said is quoted, and headings say who; notes of the service to the agent are paragraphs in parentheses. */
export const withoutNotes = (text: string): string =>
  text
    .split('\n\n')
    .filter((paragraph) => !(paragraph.startsWith('(') && paragraph.endsWith(')')))
    .join('\n\n');

const MAX_LINE = 1_000;

/** Each heading with what follows it in one line. */
const inLines = (text: string): string =>
  text
    .split(/^(?=# )/m)
    .map((part) => {
      const [heading = '', ...rest] = part.split('\n');
      const said = oneLine(rest.map((line) => line.replace(/^> ?/, '')).join(' '));
      return said === '' ? heading : `${heading}\n> ${said}`;
    })
    .join('\n\n');

const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).toWellFormed()}…`;
};
