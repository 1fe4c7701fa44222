import type { AskedQuestion, Effect } from '../../contracts/effect.ts';
import type { Session } from '../session.ts';
import { mention, quoted, sections } from './markdown.ts';
import { day } from './words.ts';

const MAX_QUESTIONS = 20_000;
const MAX_PROPOSALS = 20_000;

type Asked = Pick<Extract<Effect, { type: 'question' }>, 'text' | 'items' | 'waits'>;

/** The questions of the agent, numbered where there are several, to the person who asked for the work. Markdown. */
export function questionComment({ requester }: Session, { text, items, waits }: Asked): string {
  const all = items === undefined || items.length === 0 ? [{ text }] : items;
  const opening =
    all.length === 1
      ? 'A question before the work can go on:'
      : `${all.length} questions before the work can go on:`;
  return sections(
    requester === undefined ? opening : `${mention(requester.login)} ${opening}`,
    ...all.map((item, index) => question(item, index, all.length)),
    howToAnswer(all),
    whatComes(waits, all),
  );
}

function question({ text, proposal }: AskedQuestion, index: number, count: number): string {
  return sections(
    count === 1 ? '' : `**Question ${index + 1}**`,
    quoted(text, Math.floor(MAX_QUESTIONS / count)),
    ...(proposal === undefined
      ? []
      : ['Proposed answer:', quoted(proposal, Math.floor(MAX_PROPOSALS / count))]),
  );
}

function howToAnswer(all: readonly AskedQuestion[]): string {
  const proposed = all.every(({ proposal }) => proposal !== undefined);
  return [
    'Reply to this issue in plain words.',
    ...(all.length === 1 ? [] : ['The numbers tell your answers apart.']),
    ...(proposed ? ['“As proposed” is an answer too.'] : []),
    'The work goes on with your answer.',
  ].join(' ');
}

function whatComes(waits: Asked['waits'], all: readonly AskedQuestion[]): string {
  if (waits === undefined) return '';
  const until = `Without an answer until ${day(waits.until)},`;
  if (waits.action === 'pause')
    return `${until} it is paused; an answer lets it go on also after that.`;
  return all.every(({ proposal }) => proposal !== undefined)
    ? `${until} it goes on as proposed.`
    : `${until} it goes on, as proposed where an answer is, and else as the agent decides.`;
}
