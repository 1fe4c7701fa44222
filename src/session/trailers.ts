import type { Person } from '../contracts/intent.ts';
import type { RepositorySettings } from './settings/index.ts';

interface TrailerFacts {
  readonly requester: Person | undefined;
  readonly settings: Pick<RepositorySettings['commits'], 'co_author' | 'sign_off'>;
  /** Of GitHub, without a port. */
  readonly hostname: string;
}

/** The last lines of each commit message: who asked for the work, under the address GitHub gives them. */
export function trailersOf({ requester, settings, hostname }: TrailerFacts): readonly string[] {
  if (requester === undefined || !/^[\w-]+$/.test(requester.login)) return [];
  const { login, id } = requester;
  const person = `${login} <${id}+${login}@users.noreply.${hostname}>`;
  return [
    ...(settings.co_author ? [`Co-authored-by: ${person}`] : []),
    ...(settings.sign_off ? [`Signed-off-by: ${person}`] : []),
  ];
}

export const coAuthor = ({ login, id }: Person, hostname: string): string =>
  `Co-authored-by: ${login} <${id}+${login}@users.noreply.${hostname}>`;

const TRAILER = /^([a-z\d-]+[ \t]*):/i;
const CONTINUED = /^[ \t]/;
const BLANK = /^[ \t]*$/;
/** Git may read the message as if it ended before such a line: a divider, a comment, or its old list of conflicts. */
const END = /^(?:---|#|Conflicts:$)/;
/** A line that git itself writes makes trailers of a paragraph in which there are others. Signatures do too. */
const GENERATED = /^\((?=cherry picked from commit )/gm;

/**
 * The message with these trailers and no others. It is a cleaned text: its signatures have full-width colons. Other
 * lines that git would read as trailers get them here, so that no word is lost.
 */
export function withTrailers(message: string, trailers: readonly string[]): string {
  const text = withoutOthers(message.trim()) || 'Change files';
  return trailers.length === 0 ? text : `${text}\n\n${trailers.join('\n')}`;
}

function withoutOthers(text: string): string {
  const lines = text.replaceAll(GENERATED, '（').split('\n');
  const title = lines.findIndex((line) => BLANK.test(line));
  if (title === -1) return lines.join('\n');
  const parts = partsOf(lines.slice(title));
  let isLast = true;
  for (const [at, part] of [...parts.entries()].toReversed()) {
    const [first = ''] = part;
    if (BLANK.test(first)) continue;
    if (isLast && part.every((line) => TRAILER.test(line) || CONTINUED.test(line)))
      parts[at] = part.map((line) => line.replace(TRAILER, '$1：'));
    isLast = END.test(first);
  }
  return [...lines.slice(0, title), ...parts.flat()].join('\n');
}

/** The lines by paragraph. Blank lines, and those before which the message may end, are parts of their own. */
function partsOf(lines: readonly string[]): string[][] {
  const parts: string[][] = [];
  let isAlone = true;
  for (const line of lines) {
    const wasAlone = isAlone;
    isAlone = BLANK.test(line) || END.test(line);
    if (wasAlone || isAlone) parts.push([line]);
    else parts.at(-1)?.push(line);
  }
  return parts;
}
