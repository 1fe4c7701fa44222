// A comment on lines of the pull request, as the model reads it.
import type { CommentThread, LineComment } from '../../contracts/shown-text.ts';
import { shownPath, withoutInvisible } from '../../lib/text/invisible.ts';
import { quoteLines } from '../../lib/text/text.ts';
import type { MessageImages } from './images.ts';

export type SuggestionWords = keyof typeof SUGGESTIONS;

interface Told {
  /** The number of a thread, by the id of its first comment. */
  readonly numberOf: (root: number) => number | undefined;
  /** What became of the suggestion of a comment, by its id. */
  readonly suggestionOf: (comment: number) => SuggestionWords | undefined;
  readonly images: MessageImages;
}

export function lineComment(
  { path, line, thread, ...text }: LineComment,
  { numberOf, suggestionOf, images }: Told,
): string {
  const own = quoteLines(images.told(text).trim());
  const number = thread === undefined ? undefined : numberOf(thread.root);
  if (thread === undefined || number === undefined)
    return `- ${shownPath(path)}${line === null ? '' : `, line ${line}`}:\n${own}`;
  const head = `- Thread ${number}: ${shownPath(path)}${placeOf(line, thread)}${stateOf(thread)}`;
  const outcome = suggestionOf(thread.comment);
  const taken = outcome === undefined ? '' : SUGGESTIONS[outcome];
  return [head, hunkOf(line, thread), ...earlierOf(thread), own, taken]
    .filter((part) => part !== '')
    .join('\n');
}

function placeOf(line: number | null, { firstLine, side }: CommentThread): string {
  if (line === null) return ' as a whole';
  const lines =
    firstLine === undefined || firstLine === line
      ? `line ${line}`
      : `lines ${firstLine} to ${line}`;
  return `, ${lines}${side === 'old' ? ' of the old version' : ''}`;
}

const stateOf = ({ isOutdated, isResolved }: CommentThread): string =>
  (isOutdated ? '; outdated: these lines were changed since' : '') +
  (isResolved ? '; the thread was resolved before' : '');

/** Indented, so that none of its lines can pass for ours. */
const hunkOf = (line: number | null, { hunk }: CommentThread): string =>
  line === null || hunk.trim() === '' ? '' : withoutInvisible(hunk).replaceAll(/^/gm, '    ');

function earlierOf({ earlier, leftOut }: CommentThread): string[] {
  const said = earlier.map(
    ({ author, body }) =>
      `${author === undefined ? 'You said before' : `@${author} said before`}:\n${quoteLines(body.trim())}`,
  );
  return [
    ...(leftOut === 0 ? [] : [`(Earlier comments in this thread that are left out: ${leftOut}.)`]),
    ...said,
    ...(earlier.length === 0 ? [] : ['Now:']),
  ];
}

const LEFT = 'so the suggestion was not applied: decide what to do';

const SUGGESTIONS = {
  applied: '(The suggestion is applied as it is written: the file has these lines already.)',
  several: `(There are several suggestions, ${LEFT}.)`,
  hidden: `(Not all of the suggestion can be seen, ${LEFT}.)`,
  changed: `(The lines are not as they were, ${LEFT}.)`,
  overlaps: `(Another suggestion changed the same lines, ${LEFT}.)`,
  'not allowed': `(The file is gone or must not be changed, ${LEFT}.)`,
} as const;
