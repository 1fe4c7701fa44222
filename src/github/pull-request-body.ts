// The part of a pull request's body that is ours, between two markers. What people write outside of it is theirs.
import type { Body } from '../session/texts/body.ts';
import { LONGEST_BODY, publicBody, type Cleaner } from './gate.ts';
import { markerOf } from './marker.ts';

export interface PullRequestText {
  readonly session: string;
  readonly body: Body;
  /** Logins that may be notified. */
  readonly mentions?: readonly string[];
  /** The issue that the merge closes, if the body says so. */
  readonly closes?: number | undefined;
  /** The address of the full body, linked if it is too long for GitHub. */
  readonly whole?: string | undefined;
}

/** Characters. */
const LEAST_ROOM = 2_000;

/** Of the marker at the end; the one at the beginning says so. */
const KEY = 'pull-request';

/**
 * The whole body with our part as it is now. `current`: the body as GitHub has it; what people wrote before and after
 * our part stays as it is. If they removed the part or a marker, it is added below their text; if their text leaves
 * no room for it, the body stays as it is.
 */
export async function bodyWith(
  text: PullRequestText,
  cleaner: Cleaner,
  current = '',
): Promise<string> {
  const begin = markerOf({ session: text.session, key: `${KEY}:begin` });
  const { before, after } = others(current, begin, markerOf({ session: text.session, key: KEY }));
  const around = before.length + after.length + begin.length + 1;
  if (LONGEST_BODY - around < LEAST_ROOM) return current;
  const own = await publicBody({ ...text, key: KEY, taken: around }, cleaner);
  return `${before}${begin}\n${own}${after}`;
}

function others(body: string, begin: string, end: string) {
  const to = body.lastIndexOf(end);
  const from = to === -1 ? -1 : body.lastIndexOf(begin, to);
  if (from !== -1) return { before: body.slice(0, from), after: body.slice(to + end.length) };
  return { before: body.trim() === '' ? '' : `${body.trimEnd()}\n\n`, after: '' };
}
