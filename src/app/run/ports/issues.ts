import { createHash } from 'node:crypto';
import { Forbidden, GitHubDenied, NotFound } from '../../../github/errors.ts';
import type { PublishedPlace } from '../../../github/comments.ts';
import type { WrittenText } from '../../../github/issues.ts';
import type { GitHubRepository, PermissionLookup } from '../../../github/repository.ts';
import { TellModel, unless } from '../../../lib/errors.ts';
import type { Forge, PersonsText } from '../../../contracts/forge.ts';
import type { RunRepository, Service } from '../../service/service.ts';
import type { SessionStore } from '../../../store/store.ts';
import type { JournalTracker } from '../../service/journal-tracker.ts';
import { unquoted } from '../../../session/texts/markdown.ts';
import { MAY_ASK } from '../../admission/who-may.ts';

/** A session, its repository, and where people read all of it. */
export interface SessionOnGitHub {
  readonly store: Pick<SessionStore, 'publications' | 'savePublication'>;
  readonly tracker: Pick<JournalTracker, 'id' | 'session'>;
  readonly github: Omit<RunRepository, 'gitUrl' | 'gitToken'>;
  readonly pageUrl: Service['pageUrl'];
}

/** The issues and pull requests of the repository, as the tools may read and answer them. */
export function issuesFor({
  tracker,
  github,
  store,
  pageUrl,
}: SessionOnGitHub): Pick<Forge, 'issue' | 'issues' | 'comment'> {
  const standingOf = standings(github);
  const judged = async (written: WrittenText): Promise<PersonsText> => {
    const { author, at, text } = written;
    return { author, at, text, standing: await standingOf(written) };
  };
  return {
    issue: async (number, page) => {
      const thread = await orTellModel(`#${number}`, () => github.issue(number, page));
      return {
        ...thread,
        opening: await judged(thread.opening),
        page: await Promise.all(thread.page.map(judged)),
      };
    },
    issues: (query) => orTellModel('the list of issues', () => github.issues(query)),
    comment: ({ issue, body, at }) => {
      const { requester } = tracker.session.requests;
      const comment = {
        session: tracker.id,
        key: commentKey(issue, body, at),
        body: [unquoted(body)],
        mentions: requester === undefined ? [] : [requester.login],
        issue,
        whole: pageUrl(tracker.id),
      };
      return orTellModel(`#${issue}`, () => commentOnce(store, github, comment));
    },
  };
}

/**
 * A process that froze may go on with a call that another one repeats. Each looks for the comment before it creates it,
 * and finds at the end if the other one did so too. Then it looks again, which removes duplicates.
 */
async function commentOnce(
  store: SessionOnGitHub['store'],
  github: SessionOnGitHub['github'],
  comment: Parameters<GitHubRepository['comment']>[0],
): Promise<PublishedPlace> {
  const { session, key } = comment;
  for (;;) {
    const before = (await store.publications(session)).find((one) => one.key === key);
    const { id: remoteId, url } = await github.comment(comment);
    const done = { key, remoteId, url, digest: '' };
    if ((await store.savePublication(session, done, before)) === 'saved')
      return { id: remoteId, url };
  }
}

/** The same for a call that is repeated after a crash, and another for any other call. */
function commentKey(issue: number, body: string, at: Date): string {
  const digest = createHash('sha256').update(`${issue}\n${body}`).digest('hex');
  return `said:${at.getTime()}-${digest.slice(0, 12)}`;
}

/** What is not there, or closed to us, is for the model to go around. */
async function orTellModel<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NotFound)
      throw new TellModel(`GitHub does not have ${what} in this repository.`, { cause: error });
    if (error instanceof Forbidden)
      throw new TellModel(`GitHub denied access to ${what}: ${error.message}`, {
        cause: error,
      });
    throw error;
  }
}

type PersonStanding = PersonsText['standing'];

/** A thread has no limit of writers. The permissions of so many are looked up; the others are not trusted. */
const MAX_LOOKUPS = 50;

/** Tells what the author of a text may do here. Each person is looked up once in a run. */
export function standings(
  github: PermissionLookup,
): (written: WrittenText) => Promise<PersonStanding> {
  const known = new Map<string, Promise<PersonStanding>>();
  return ({ author, isOwn }) => {
    if (isOwn) return Promise.resolve('app');
    const before = known.get(author);
    if (before !== undefined) return before;
    if (known.size >= MAX_LOOKUPS) return Promise.resolve('other');
    const standing = lookUp(github, author);
    known.set(author, standing);
    standing.catch(() => known.delete(author));
    return standing;
  };
}

async function lookUp(github: PermissionLookup, login: string): Promise<PersonStanding> {
  const permission = (await unless(GitHubDenied, github.permissionOf(login))) ?? 'none';
  return MAY_ASK.has(permission) ? 'writer' : 'other';
}
