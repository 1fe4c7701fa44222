// The hidden line by which the App recognises its own texts. Anyone can paste one, so it only counts in a
// text whose author is the App.
import type { AppIdentity } from './access/app-identity.ts';

/** Identifies a text of a session. `key` is unique within it, such as `status` or `question:3`. */
export interface MarkerKey {
  readonly session: string;
  readonly key: string;
}

const SESSION = /^[\w.-]{1,100}$/;
const KEY = /^[\w.:-]{1,150}$/;

/** @throws {RangeError} if the session or key is not a plain word; both come from our own code */
export function markerOf({ session, key }: MarkerKey): string {
  if (!SESSION.test(session) || !KEY.test(key))
    throw new RangeError(`no marker can be made of "${session}" and "${key}"`);
  return `<!-- issuewright:${session}:${key} -->`;
}

/** At the end of a comment that says how a session is; its first group is the session. */
export const STATUS_COMMENT = /<!-- issuewright:([\w.-]{1,100}):status -->\s*$/;

export const endsWithMarker = (body: string | null | undefined, marker: string): boolean =>
  body?.trimEnd().endsWith(marker) === true;

/** The parts of GitHub's comment that say who wrote it. */
interface Written {
  readonly user?: { readonly login: string; readonly type: string } | null;
  readonly performed_via_github_app?: { readonly id: number } | null;
}

/** Whether the App itself wrote it: a person who acts through the App is not the App. */
export function isByApp(
  { user, performed_via_github_app: app }: Written,
  by: AppIdentity,
): boolean {
  return user?.type === 'Bot' && (app?.id === by.appId || user.login === by.login);
}

const ANY_MARKER = /<!-- issuewright:[\w.-]{1,100}:[\w.:-]{1,150} -->/;

/** The same, with a person's token too: what we wrote with that has a marker, and what the person wrote has none. */
export const isOwn = (
  written: Written & { readonly body?: string | null | undefined },
  by: AppIdentity,
): boolean =>
  isByApp(written, by) || (written.user?.login === by.login && ANY_MARKER.test(written.body ?? ''));
