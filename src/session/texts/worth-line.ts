// What a session came to, on one line: the last that people read of it.
import type { Session } from '../session.ts';
import { worthOf, type Worth } from '../worth.ts';
import { cost, duration, plural } from './format.ts';

/** Empty until the pull request is merged, or it is closed. Markdown. */
export function worthLine(session: Session): string {
  const worth = worthOf(session);
  if (worth === undefined || session.thread.pullRequest === undefined) return '';
  if (worth.result !== 'merged' && worth.result !== 'closed') return '';
  const facts = [
    `**${ends[worth.result]}${afterRounds(worth)}**`,
    cost(worth),
    `${duration(worth.workedMs)} of work`,
    ...(worth.isZeroTouch ? ['zero touch: nobody had to say anything after the request'] : []),
  ];
  return facts.join(' · ');
}

const ends = { merged: 'Merged', closed: 'Closed without a merge' } as const;

const afterRounds = ({ rounds }: Worth): string =>
  rounds === 0 ? '' : ` after ${plural(rounds, 'round')} of review`;
