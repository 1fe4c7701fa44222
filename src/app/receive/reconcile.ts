// What GitHub never sent, or keeps no more: what people did in each repository is compared with what is known, and what is
// missing is received as if it had been delivered.
import type { Logger } from 'pino';
import { sharedTime } from '../../lib/clock.ts';
import { READERS } from '../../events/index.ts';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import { isSameLabel } from '../../session/github-names.ts';
import { forApp, mayOpenSession, standsForApp, type AppNames } from '../../session/said/asks.ts';
import type { Arrival, RepositoryRef } from '../../contracts/intent.ts';
import type { Happening } from '../../github/activity/happenings.ts';
import type { ChangedThread } from '../../github/activity/recent-activity.ts';
import type { InstallationFacts } from '../../github/access/installations.ts';
import type { GitHub } from '../../github/index.ts';
import type { MissedStore } from '../../store/deliveries/missed.ts';
import { rulesFor, type Rules } from '../admission/settings.ts';
import { mayAsk, type KnownRoles } from '../admission/who-may.ts';
import type { Service } from '../service/service.ts';

export interface ReconcileParts {
  readonly github: Pick<
    GitHub,
    'identity' | 'installations' | 'recentActivity' | 'repository' | 'take'
  >;
  readonly store: Pick<Service['store'], 'missed' | 'retention'>;
  readonly serves: Service['serves'];
  /** The account that stands for the App as an assignee. */
  readonly assignee: string | undefined;
  readonly log: Logger;
}

interface ComparedRepository {
  readonly installation: InstallationFacts;
  readonly repository: RepositoryRef;
  /** When all repositories were last looked at. */
  readonly before: Date;
  readonly names: AppNames;
}

/** When all repositories were last looked at. One that is new since then is looked at from there. */
const SOURCE = 'repositories';

/** Whether no service has looked at the repositories with this database yet. */
export const isUnused = async (missed: MissedStore): Promise<boolean> =>
  (await missed.watermark(SOURCE)) === undefined;

/** What people did before now is not the work of a service with this database. */
export const beginNow = (missed: MissedStore): Promise<void> =>
  missed.markSeen(SOURCE, sharedTime());

/**
 * Resolves with how many events were missing. Safe to repeat, also by several processes at once.
 * @throws {TryLater} if GitHub or the database did not answer about a repository; the others were looked at
 */
export async function reconcile(parts: ReconcileParts, signal: AbortSignal): Promise<number> {
  const { github, store, serves } = parts;
  const { slug } = await github.identity();
  const names = { slug, assignee: parts.assignee };
  const begun = sharedTime();
  const before = (await store.missed.watermark(SOURCE))?.until;
  if (before === undefined) {
    // What people did before there was a service is not its work.
    await store.missed.markSeen(SOURCE, begun);
    return 0;
  }
  const found = { events: 0, failure: undefined as TryLater | undefined };
  for (const installation of await github.installations.list()) {
    const { owner, isWithoutLogin, isSuspended } = installation;
    if (isWithoutLogin || isSuspended || !serves(owner)) continue;
    try {
      const repositories = await github.installations.repositories(installation.id);
      await store.retention.reachable(repositories.map(({ id }) => id));
      for (const repository of repositories) {
        if (signal.aborted) return found.events;
        found.events += await look(parts, { installation, repository, before, names });
      }
    } catch (error) {
      if (!(error instanceof TryLater)) throw error;
      found.failure = error;
    }
  }
  if (found.failure !== undefined) throw found.failure;
  await store.missed.markSeen(SOURCE, begun);
  return found.events;
}

/** A repository to which GitHub denies access keeps nothing else from being looked at. */
async function look(parts: ReconcileParts, place: ComparedRepository): Promise<number> {
  try {
    return await reconcileRepository(parts, place);
  } catch (error) {
    if (!(error instanceof TellPerson)) throw error;
    const { owner, name } = place.repository;
    parts.log.warn(
      { repository: `${owner}/${name}`, reason: messageOf(error) },
      'failed to look for missed events in a repository',
    );
    return 0;
  }
}

async function reconcileRepository(
  parts: ReconcileParts,
  place: ComparedRepository,
): Promise<number> {
  const { github, store } = parts;
  const { installation, repository, before, names } = place;
  const source = `repository:${repository.id}`;
  const seen = await store.missed.watermark(source);
  const since = seen?.until ?? later(before, installation.createdAt);
  const at = github.repository(installation.id, repository);
  let read: Promise<Rules> | undefined;
  const rules = () => (read ??= rulesFor(at, repository));
  let begun: ReadonlyMap<number, Date> = new Map();
  const { happenings, until } = await github.recentActivity(installation.id, repository, {
    since,
    followed: async (changed) => {
      const numbers = changed.map(({ number }) => number);
      begun = await store.missed.begunAt(repository.id, numbers);
      return new Set([...begun.keys(), ...(await reviewsWanted(changed, names, rules))]);
    },
  });
  const all = happenings.flatMap((one) => reading(one, names));
  const missing = await unknown(store.missed, thatMatter(all, begun));
  const guard = startGuard(parts.log, { at, repository, rules });
  for (const one of missing) if (await guard(one)) await take(parts, one);
  const left = await unknown(store.missed, missing);
  await store.missed.markSeen(source, until);
  return missing.length - left.length;
}

/** The pull requests of which a review was asked for, by the label or from an account that stands for the App. */
async function reviewsWanted(
  changed: readonly ChangedThread[],
  names: AppNames,
  rules: () => Promise<Rules>,
): Promise<readonly number[]> {
  const wanted: number[] = [];
  for (const { number, isPull, labels, reviewers } of changed) {
    if (!isPull) continue;
    const label = labels.length === 0 ? '' : (await rules()).label;
    const isWanted =
      labels.some((one) => isSameLabel(one, label)) ||
      reviewers.some((one) => standsForApp(one, names));
    if (isWanted) wanted.push(number);
  }
  return wanted;
}

const later = (one: Date, other: Date): Date => (one > other ? one : other);

/** A happening, with what it means. */
interface ReadHappening {
  readonly happening: Happening;
  readonly arrivals: readonly Arrival[];
}

function reading(happening: Happening, names: AppNames): readonly ReadHappening[] {
  const all = READERS.get(happening.name)?.read(happening.payload) ?? [];
  const arrivals = all.filter(({ intent, says }) => forApp(intent, names, says) !== undefined);
  return arrivals.length === 0 ? [] : [{ happening, arrivals }];
}

/** What belongs to a session, or may open one. What was before it began is no part of it, as with webhooks. */
function thatMatter(
  all: readonly ReadHappening[],
  begun: ReadonlyMap<number, Date>,
): readonly ReadHappening[] {
  const opening = new Set(
    all
      .filter(({ arrivals }) => arrivals.some(({ intent }) => mayOpenSession(intent)))
      .map(({ happening }) => happening.thread),
  );
  return all.filter(({ happening: { thread, at } }) => {
    const since = begun.get(thread);
    return since === undefined ? opening.has(thread) : Date.parse(at) >= since.getTime();
  });
}

/** Those that no delivery and no earlier look told of. */
async function unknown(
  store: MissedStore,
  all: readonly ReadHappening[],
): Promise<readonly ReadHappening[]> {
  const meanings = all.flatMap(({ arrivals }) => arrivals.flatMap(sameMeanings));
  const known = await store.knownMeanings(meanings);
  const isKnown = (arrival: Arrival): boolean =>
    sameMeanings(arrival).some((meaning) => known.has(meaning));
  return all.filter(({ arrivals }) => !arrivals.every(isKnown));
}

/** GitHub's webhooks and its lists may give the time of one event a moment apart. */
function sameMeanings({ meaning }: Arrival): readonly string[] {
  const [, what = '', at] = /^(.*:)(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/.exec(meaning) ?? [];
  if (at === undefined) return [meaning];
  return [-2, -1, 0, 1, 2].map((seconds) => {
    const time = new Date(Date.parse(at) + seconds * 1000).toISOString();
    return `${what}${time.replace(/\.\d+Z$/, 'Z')}`;
  });
}

async function take(
  { github }: ReconcileParts,
  { happening: { id, name, payload } }: ReadHappening,
): Promise<void> {
  const [event = ''] = name.split('.');
  const { status } = await github.take({ id, event, payload });
  if (status >= 500) throw new TryLater(`the missed event ${id} could not be received`);
}

interface GuardedRepository {
  readonly at: ReturnType<GitHub['repository']>;
  readonly repository: RepositoryRef;
  readonly rules: () => Promise<Rules>;
}

/**
 * A webhook has the issue's text at the moment of the label or the assignment; here it is read later. So that counts only
 * if nobody without permission has edited the text since. A review is of whatever the author pushed and wrote by then, so it
 * needs no such look.
 */
function startGuard(
  log: Logger,
  { at, repository, rules }: GuardedRepository,
): (reading: ReadHappening) => Promise<boolean> {
  const known: KnownRoles = new Map();
  return async ({ happening: { thread }, arrivals }) => {
    const start = arrivals.map(({ intent }) => intent).find(({ kind }) => kind === 'start');
    if (start?.kind !== 'start' || start.addressed === true) return true;
    if (start.review !== undefined) return true;
    const { label, who } = await rules();
    const { assignee } = start;
    if (assignee === undefined && !isSameLabel(start.label, label)) return true;
    const trigger = await at.triggerOf(thread, assignee === undefined ? { label } : { assignee });
    for (const editor of new Set(trigger?.editedBy ?? [])) {
      if (await mayAsk(at, { login: editor }, who, known)) continue;
      log.warn(
        { repository: `${repository.owner}/${repository.name}`, issue: thread, editor },
        'ignored a label or an assignment that was missed: the issue was edited after it. Make it again',
      );
      return false;
    }
    return true;
  };
}
