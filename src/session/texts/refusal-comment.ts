import type { EntryOf } from '../entries/entry.ts';
import type { Intent } from '../entries/intent.ts';
import { code, mention } from './markdown.ts';

const ROLES: ReadonlyMap<string, string> = new Map([
  ['maintain', 'people with the role *maintain* or *admin* in this repository'],
  ['admin', 'the administrators of this repository'],
]);
const WRITERS = 'people with write access to this repository';

/** The answer to a person who asked for something that does not happen. Markdown. */
export function refusalComment(
  login: string,
  { reason, needs, words = '' }: Pick<EntryOf<'refused'>, 'reason' | 'needs' | 'words'>,
  intent: Intent,
): string {
  if (reason === 'closed')
    return `${mention(login)} This issue is closed, so nothing was started. Reopen it and ask again, and the work begins.`;
  if (reason === 'others_work')
    return `${mention(login)} Working on a pull request that somebody else opened is not possible yet, so nothing was started. Open an issue that says what is to be done, and ask there: the work then comes as a pull request of its own.`;
  if (reason === 'forbidden')
    return `${mention(login)} Nothing was started, because GitHub does not let the App look up what it has to know first, such as who may ask here. ${words} Then ask again.`;
  const heard = ROLES.get(needs ?? '') ?? WRITERS;
  if (intent.kind === 'comment' && intent.asks === undefined)
    return `${mention(login)} Thank you. Here, questions are answered and plans agreed to by ${heard}, so your comment changed nothing yet. One of them can say the same, and the work goes on.`;
  return `${mention(login)} Thank you, but work here starts only for ${heard}, because it spends the owner's budget and pushes a branch. Nothing was started. If you would like it done, ask one of them to ${again(intent)}.`;
}

const again = (intent: Intent): string =>
  intent.kind === 'start' && intent.label !== ''
    ? `remove the label ${code(intent.label)} and add it again`
    : 'ask for it here';
