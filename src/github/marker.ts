// The hidden line by which the App finds again what it wrote. Anyone can paste one: it counts only
// under the App's own name.
import type { Identity } from './identity.ts';

/** What a text of ours is for: unique within its session, such as `status` or `question:3`. */
export interface MarkerKey {
  readonly session: string;
  readonly key: string;
}

const SESSION = /^[\w.-]{1,100}$/;
const KEY = /^[\w.:-]{1,150}$/;

/** @throws {RangeError} for a session or key that is no plain word: both come from our own code */
export function markerOf({ session, key }: MarkerKey): string {
  if (!SESSION.test(session) || !KEY.test(key))
    throw new RangeError(`no marker can be made of "${session}" and "${key}"`);
  return `<!-- issuewright:${session}:${key} -->`;
}

export const endsWithMarker = (body: string | null | undefined, marker: string): boolean =>
  body?.trimEnd().endsWith(marker) === true;

/** The parts of GitHub's comment that say who wrote it. */
interface Written {
  readonly user?: { readonly login: string; readonly type: string } | null;
  readonly performed_via_github_app?: { readonly id: number } | null;
}

/** Whether the App itself wrote it: a person who acts through the App is not the App. */
export function isByApp({ user, performed_via_github_app: app }: Written, by: Identity): boolean {
  return user?.type === 'Bot' && (app?.id === by.appId || user.login === by.login);
}
