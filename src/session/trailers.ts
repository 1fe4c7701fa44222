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

const SIGNATURE = /^[ \t]*(?:co-authored|signed-off)-by[ \t]*:/i;

/** The message with these trailers and no others: a model must not sign for anyone. */
export function withTrailers(message: string, trailers: readonly string[]): string {
  const lines = message.split('\n').filter((line) => !SIGNATURE.test(line));
  const text = lines.join('\n').trim() || 'Change files';
  return trailers.length === 0 ? text : `${text}\n\n${trailers.join('\n')}`;
}
