import type { Logger } from 'pino';
import { sharedNow } from '../../lib/clock.ts';
import { explainDenial } from '../../github/access/tokens.ts';
import { Forbidden, NotFound, GitHubDenied } from '../../github/errors.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { TryLater } from '../../lib/errors.ts';
import type { Entry } from '../../session/entry.ts';
import { entryAt } from '../../session/kept-entries.ts';
import type { ReceivedIntent } from '../../session/session.ts';
import { DEFAULT_LABEL } from '../../session/settings/index.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { Service } from '../service/service.ts';
import { Judge } from './judge.ts';
import { keepImages, type FoundVerdict, type Rejection } from './keep-images.ts';

const SHORTEST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 60 * 60_000;
const GIVE_UP_MS = 24 * 60 * 60_000;

type AdmittingService = Pick<Service, 'admissions' | 'allowedBots' | 'log'> & {
  readonly operator: Pick<Service['operator'], 'areImagesSeen'>;
};

/** An intent cannot be judged now. All others were, and can proceed. */
export class AdmissionDeferred extends TryLater {}

/**
 * Judges every intent that has no verdict yet: is this our label, may this person request work? Only what is
 * admitted here ever reaches the model. `admissions` keeps the run and the publisher of one process from looking
 * up the same intents; two processes may journal a verdict twice, and the first one counts.
 * Resolves with `AdmissionDeferred` if an intent cannot be judged now.
 */
export async function admit(
  tracker: JournalTracker,
  github: GitHubRepository,
  service: AdmittingService,
): Promise<AdmissionDeferred | undefined> {
  if (tracker.session.requests.awaitingAdmission.length === 0) return undefined;
  return service.admissions.run(tracker.id, async () => {
    // Others of this process may have judged them since the journal was read.
    await tracker.refresh();
    return admitAll(tracker, github, service);
  });
}

async function admitAll(
  tracker: JournalTracker,
  github: GitHubRepository,
  { allowedBots, operator, log }: AdmittingService,
): Promise<AdmissionDeferred | undefined> {
  const judge = new Judge(github, tracker, allowedBots);
  const rejections = new Rejections(tracker, log);
  let later: AdmissionDeferred | undefined;
  try {
    for (const received of tracker.session.requests.awaitingAdmission) {
      const found = await verdictOn(received, judge, { github, entries: tracker.entries });
      if (found instanceof AdmissionDeferred) {
        later ??= found;
        continue;
      }
      if (found.type === 'rejected') {
        await rejections.add(found);
        continue;
      }
      await rejections.append();
      const { entries } = tracker;
      const { areImagesSeen: areSeen } = operator;
      const { verdict, images } = await keepImages(found, { github, entries, areSeen });
      await tracker.append(verdict, { images });
    }
  } finally {
    await rejections.append();
  }
  return later;
}

const MOST_REJECTIONS = 50;

/**
 * Journals rejections together: while a crowd comments, each append by itself would keep the session's row locked. Later
 * verdicts do not depend on them, except on `no_session`: when work begins, it reads those comments; and on background, which is
 * limited in all.
 */
class Rejections {
  readonly #tracker: JournalTracker;
  readonly #log: Logger;
  #waiting: Rejection[] = [];

  constructor(tracker: JournalTracker, log: Logger) {
    this.#tracker = tracker;
    this.#log = log;
  }

  async add(rejection: Rejection): Promise<void> {
    this.#waiting.push(rejection);
    const { reason, background } = rejection;
    const counts = reason === 'no_session' || background !== undefined;
    if (counts || this.#waiting.length === MOST_REJECTIONS) await this.append();
  }

  async append(): Promise<void> {
    const waiting = this.#waiting.splice(0);
    if (waiting.length > 0) await this.#tracker.appendAll(waiting);
    for (const { reason } of waiting) this.#log.info({ reason }, 'request rejected');
  }
}

/** If GitHub denies the look-up, decides without it. @throws {NoAccess} if nothing can be looked up for now */
async function verdictOn(
  received: ReceivedIntent,
  judge: Judge,
  { github, entries }: { readonly github: GitHubRepository; readonly entries: readonly Entry[] },
): Promise<FoundVerdict | AdmissionDeferred> {
  try {
    return await judge.verdictOn(received);
  } catch (error) {
    if (!(error instanceof GitHubDenied)) throw error;
    const explained = await explainDenial(error, github);
    if (explained !== error) throw explained;
    return verdictWithoutLookup(received, error, entryAt(entries, received.seq)?.at ?? '');
  }
}

/**
 * A person who requested work learns at once what is missing, and can ask again when it is fixed. Everything
 * else is retried at growing intervals for a day, so a wrong key loses no comment. If the repository is gone, nothing is
 * retried.
 */
function verdictWithoutLookup(
  { seq: received, intent }: ReceivedIntent,
  error: GitHubDenied,
  at: string,
): FoundVerdict | AdmissionDeferred {
  const rejected = { type: 'rejected', received } as const;
  const age = sharedNow() - Date.parse(at);
  if (error instanceof NotFound || age > GIVE_UP_MS) return { ...rejected, reason: 'unreachable' };
  if (error instanceof Forbidden && asksForWork(intent))
    return { ...rejected, reason: 'permission_check_denied', details: error.message, notify: true };
  const wait = Math.min(Math.max(age, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
  return new AdmissionDeferred(error.message, { cause: error, retryAfterMs: wait });
}

/** A guess, because the settings are not read yet: the repository may use another label. */
const asksForWork = (intent: ReceivedIntent['intent']): boolean =>
  intent.kind === 'check_action' || ('addressed' in intent && intent.addressed === true)
    ? true
    : intent.kind === 'start' && (intent.assignee !== undefined || intent.label === DEFAULT_LABEL);
