// What a request says that its work depends on.
import type { Ask } from '../../contracts/intent.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { startsWork, type Said } from '../../session/said/asks.ts';
import { baseNamedIn, dependenciesIn } from '../../session/said/dependencies.ts';
import type { ReceivedIntent } from '../../session/session.ts';

interface Parts {
  readonly github: Pick<GitHubRepository, 'issueState'>;
  /** Of the session. */
  readonly issue: number;
  readonly mayRequest: (login: string) => Promise<boolean>;
}

export interface Words {
  readonly ask: Ask | undefined;
  /** The request itself. */
  readonly said: Said;
  /** The text of the issue, if the session does not know it as it is. */
  readonly issue: Said | undefined;
}

/**
 * The numbers that a request for work names. Its own words come before those of the issue, which count only if whoever
 * wrote the issue may request work too.
 */
export async function dependenciesOf(
  { github, issue, mayRequest }: Parts,
  { intent, sender }: Pick<ReceivedIntent, 'intent' | 'sender'>,
  words: Words,
): Promise<readonly number[]> {
  if (intent.kind === 'comment' || intent.kind === 'edited') {
    const { ask } = words;
    if (ask === undefined || !startsWork(ask.for)) return [];
    const own = ask.for === 'base' ? baseNamedIn(words.said) : dependenciesIn(words.said);
    if (own.length > 0) return own;
  } else if (intent.kind !== 'start') return [];
  const named = words.issue === undefined ? [] : dependenciesIn(words.issue);
  if (named.length === 0) return [];
  const isOwn = intent.kind === 'start' && intent.addressed === true;
  const author = isOwn ? sender.login : (await github.issueState(issue)).author;
  return (await mayRequest(author)) ? named : [];
}
