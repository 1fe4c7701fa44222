import type { Person } from '../contracts/intent.ts';
import type { RepositorySettings } from './settings/index.ts';

interface Asked {
  readonly requester: Person | undefined;
  readonly settings: RepositorySettings['commits'];
  /** Of GitHub, without a port. */
  readonly hostname: string;
}

/** The last lines of each commit message: who asked for the work, under the address GitHub gives them. */
export function trailersOf({ requester, settings, hostname }: Asked): readonly string[] {
  if (requester === undefined || !/^[\w-]+$/.test(requester.login)) return [];
  const { login, id } = requester;
  const person = `${login} <${id}+${login}@users.noreply.${hostname}>`;
  return [
    ...(settings.co_author ? [`Co-authored-by: ${person}`] : []),
    ...(settings.sign_off ? [`Signed-off-by: ${person}`] : []),
  ];
}

/** A signature or an approval, or an order to skip checks. The gate may have made its colon a full-width one. */
const SIGNATURE =
  /^[^\p{L}\p{N}]{0,40}[\p{L}\p{N}]{1,40}(?:-[\p{L}\p{N}]{1,40}){0,4}-(?:by|checks)[ \t*_]{0,10}[:：]/iu;
/** Git reads the last paragraph as trailers if each line is one, or continues one. */
const TRAILER = /^([a-z\d-]+[ \t]*):/i;
const CONTINUED = /^[ \t]/;

/** The message with these trailers and no others: a model must not sign or approve for anyone. */
export function withTrailers(message: string, trailers: readonly string[]): string {
  const lines = message.split('\n').filter((line) => !SIGNATURE.test(line));
  const text = withoutOthers(lines.join('\n').trim()) || 'Change files';
  return trailers.length === 0 ? text : `${text}\n\n${trailers.join('\n')}`;
}

/** The text, with full-width colons in a last paragraph that git would read as trailers. */
function withoutOthers(text: string): string {
  const lines = text.split('\n');
  const start = lines.findLastIndex((line) => line.trim() === '') + 1;
  const last = lines.slice(start);
  if (start === 0 || !last.every((line) => TRAILER.test(line) || CONTINUED.test(line))) return text;
  return [...lines.slice(0, start), ...last.map((line) => line.replace(TRAILER, '$1：'))].join(
    '\n',
  );
}
