import type { PlanItem } from '../../contracts/effect.ts';
import type { Session } from '../session.ts';
import { mention, oneLine, sections } from './markdown.ts';
import { plural } from './words.ts';

/** The plan that somebody has to agree to, to the person who asked for the work. Markdown. */
export function planComment({ requester }: Session, items: readonly PlanItem[]): string {
  const opening = `This is the plan, in ${plural(items.length, 'step')}. Nothing is changed before somebody agrees to it:`;
  return sections(
    requester === undefined ? opening : `${mention(requester.login)} ${opening}`,
    items.map(({ title }, index) => `${index + 1}. ${oneLine(title)}`).join('\n'),
    'Answer **approve** or **go**, or react to this comment with 👍, and the work begins. Anything else that you write changes the plan: you are shown the new one first.',
  );
}
