// A database that is new, although the App has worked before: another one knows what it did.
import type { Logger } from 'pino';
import type { GitHub } from '../../github/index.ts';
import { messageOf, TellPerson, TryLater, unless } from '../../lib/errors.ts';
import type { MissedStore } from '../../store/deliveries/missed.ts';
import type { Service } from '../service/service.ts';
import { passOverMissed, type MissedParts } from './missed-events.ts';
import { beginNow, isUnused } from './reconcile.ts';
import { spellCommand } from '../../lib/program-name.ts';

interface EarlierWorkParts {
  readonly github: Pick<GitHub, 'installations' | 'repositorySetUp'>;
  readonly store: { readonly missed: MissedStore } & Pick<Service['store'], 'session'>;
  readonly serves: Service['serves'];
  /** What the operator calls the database, such as `The data directory /data`. */
  readonly database: string;
}

/** For the operator, who decides what becomes of it. Until then, what needs the database waits. */
export class EarlierWork extends TryLater {
  constructor(database: string, issue: string) {
    super(
      `${database} is new, but ${issue} has a status comment of this App that it does not know: another database has the sessions. ` +
        'Nothing was begun, so that no request is worked on twice. If the other database still exists, set DATA_DIR or DATABASE_URL to it, or restore its backup. ' +
        `If it is lost, run \`${spellCommand('adopt')}\` and start again: only what people request from then on is worked on.`,
    );
  }
}

/**
 * Rejects with `EarlierWork` if a new database lacks the session of a status comment on GitHub. Once it has resolved, it
 * asks nothing more.
 * @throws {TryLater} if GitHub or the database does not answer
 */
export function earlierWorkGuard(parts: EarlierWorkParts): () => Promise<void> {
  let isOwn = false;
  return async () => {
    if (isOwn) return;
    const found = (await isUnused(parts.store.missed)) ? await findUnknown(parts) : undefined;
    if (found !== undefined) throw new EarlierWork(parts.database, found);
    isOwn = true;
  };
}

/** The first issue with such a comment, as `owner/name#4`. */
async function findUnknown(parts: EarlierWorkParts): Promise<string | undefined> {
  const { github, store, serves } = parts;
  for (const { id, owner, isWithoutLogin, isSuspended } of await github.installations.list()) {
    if (isWithoutLogin || isSuspended || !serves(owner)) continue;
    for (const repository of await github.installations.repositories(id)) {
      const setUp = github.repositorySetUp(id, repository);
      // Nothing was begun in a repository to which GitHub denies access.
      const comments = (await unless(TellPerson, setUp.ownStatusComments())) ?? [];
      for (const { issue, session } of comments)
        if ((await store.session(session)) === undefined)
          return `${repository.owner}/${repository.name}#${issue}`;
    }
  }
  return undefined;
}

/** Enough for a hundred repositories. What needs the answer waits for it afterwards. */
const START_MS = 30_000;

/** At the start, for as long as GitHub answers. @throws {EarlierWork} */
export async function guardStart(guard: () => Promise<void>, log: Logger): Promise<void> {
  const late = new Promise<void>((resolve) => {
    setTimeout(resolve, START_MS).unref();
  });
  const guarded = guard().catch((error: unknown) => {
    if (error instanceof EarlierWork) throw error;
    log.warn({ reason: messageOf(error) }, 'failed to look for work of another database');
  });
  await Promise.race([guarded, late]);
}

/**
 * Lets a service begin with this database, and with nothing that people did before now. Resolves with how many webhooks
 * that did not arrive are passed over; `undefined` if a service has begun already.
 */
export async function adoptDatabase(
  parts: Pick<MissedParts, 'github' | 'store' | 'log'>,
): Promise<number | undefined> {
  const { missed } = parts.store;
  if (!(await isUnused(missed))) return undefined;
  const passedOver = await passOverMissed(parts);
  await beginNow(missed);
  return passedOver;
}
