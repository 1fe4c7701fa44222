import { runLoop } from '../../agent/loop.ts';
import type { Run, RunIo, Steps } from '../../agent/agent-run.ts';
import type { NewAgentEntry } from '../../contracts/entries.ts';
import type { StoredChange } from '../../contracts/files.ts';
import type { NewEntry } from '../../session/entry.ts';
import type { Session } from '../../session/session.ts';
import type { JournalTracker, JournalWriter } from '../service/journal-tracker.ts';
import { isPaused, type RunScope, type Service } from '../service/service.ts';
import { isAgentEntry } from './conversation.ts';
import { afterError, type AttemptOutcome, type FailedScope } from './outcome.ts';
import { changesNothing } from './plan/offered-tools.ts';
import type { RunWork } from './work.ts';
import { withdrawnOf } from '../admission/who-may.ts';
import { inputMessage } from '../../agent/prompts/input.ts';
import { withFileList } from '../../agent/prompts/notices.ts';
import { NEWS_WAITS, unanswered } from '../../agent/prompts/replies.ts';
import type { PermissionLookup } from '../../github/repository.ts';
import { terminationReason } from '../../session/texts/run-ends.ts';
import { unansweredIn } from '../../session/fold/replies.ts';
import { readable } from '../../session/merging.ts';
import { backgroundUntil, hasWordsForRun, loginStillAsked } from '../../session/requested-work.ts';
import type { RunPlan } from './plan/plan.ts';
import type { ImageFacts, ImageType } from '../../contracts/image.ts';
import type { SessionStore } from '../../store/store.ts';

type Scope = FailedScope & {
  /** After which time of failures another model continues the run. */
  readonly fallbackAfterMs?: number | undefined;
  readonly service: Pick<Service, 'pause' | 'leaving' | 'log'>;
};

/** The agent's work, every step of it in the journal before the next; unfinished work is saved. */
export async function perform(scope: Scope, run: Run, work: RunWork): Promise<AttemptOutcome> {
  const { tracker, service } = scope;
  const outcome = await record(tracker, runLoop(run), {
    drain: work.drain,
    whyLeft: () => whyLeft(tracker.session, work, service),
  }).catch(async (error: unknown) => {
    await work.settleOutput();
    return afterError(scope, error, scope.fallbackAfterMs);
  });
  const { kind } = outcome;
  // A stopped run has its work saved apart from this: its workspace may be gone with its signal.
  if (kind === 'finished' || kind === 'limit' || kind === 'failed') await work.save();
  return outcome;
}

interface RecordOptions {
  /** The file changes of a call, which are stored with its result in one transaction. */
  readonly drain: RunWork['drain'];
  /** Why the run is to be left between two steps, if it is. */
  readonly whyLeft?: () => LeaveReason | undefined;
}

type LeaveReason = 'paused' | 'interrupted' | 'begin_again';

/** A pause is journaled, so it comes before the end of the process. */
function whyLeft(
  session: Session,
  { onlyLooks, isOutdated }: RunWork,
  { pause, leaving }: Scope['service'],
): LeaveReason | undefined {
  if (isPaused(session, pause)) return 'paused';
  if (leaving?.aborted === true) return 'interrupted';
  const needsFiles = isOutdated() && session.run?.finish === undefined;
  return needsFiles || (onlyLooks && !changesNothing(session)) ? 'begin_again' : undefined;
}

/** Appends what the agent yields and hands it back stored, to the end or until the run is left. */
export async function record<End>(
  tracker: JournalWriter,
  steps: Steps<End>,
  { drain, whyLeft: whyNow = () => undefined }: RecordOptions,
): Promise<End | { readonly kind: LeaveReason }> {
  let step = await steps.next();
  while (step.done !== true) {
    const changes = step.value.type === 'call_finished' ? await drain() : [];
    const stored = await tracker.append(withCount(step.value, changes), { changes });
    if (!isAgentEntry(stored)) throw new Error('the journal answered with another entry');
    // A call that has begun may act outside: it runs to its end.
    const kind = stored.type === 'call_started' ? undefined : whyNow();
    if (kind !== undefined) return { kind };
    step = await steps.next(stored);
  }
  return step.value;
}

/** Views need to know whether a call changed files; the changes themselves are stored beside it. */
function withCount(entry: NewAgentEntry, changes: readonly StoredChange[]): NewEntry {
  if (entry.type !== 'call_finished' || changes.length === 0) return entry;
  const taken = changes.filter(({ madeByCommand }) => madeByCommand !== true);
  const leftOut = changes.length - taken.length;
  const documents = taken.filter(({ path }) => DOCUMENT.test(path)).length;
  return {
    ...entry,
    changedFiles: changes.length,
    ...(leftOut === 0 ? {} : { leftOutFiles: leftOut }),
    ...(documents === 0 ? {} : { documents }),
  };
}

/** In the root or in a folder for them: elsewhere, a program may use them. */
const DOCUMENT = /^(?:docs?\/(?:[^/]+\/)*)?[^/]+\.(?:md|rst|adoc)$/i;

export type HearingScope = Pick<RunScope, 'tracker' | 'admit' | 'signal'> & {
  readonly github: PermissionLookup;
  readonly service: Pick<Service, 'pause' | 'allowedBots'>;
};

/** The session with what the model can read of it now. */
export function readableIn(session: Session): Session {
  const { requests } = session;
  const unread = readable(session);
  const background = backgroundUntil(requests, unread);
  return { ...session, requests: { ...requests, unread, background } };
}

/** What was said less than this before a request may wait for the next one. */
const MOST_AGE_MS = 1000;

/** Called before the work ends: whether people wait for something that this run can still do. */
export const awaited =
  ({ tracker, admit }: HearingScope): NonNullable<RunIo['whyNotYet']> =>
  async () => {
    await tracker.refresh();
    await admit();
    const { session } = tracker;
    if (hasWordsForRun(session)) return NEWS_WAITS;
    const asking = unansweredIn(session);
    return asking.length === 0 ? undefined : unanswered(asking);
  };

/** Called before each request: whether the run continues, and what is new for the model. */
export const hearing =
  (
    { tracker, github, admit, signal, service }: HearingScope,
    { notices, takeSuggestions, listFiles }: RunWork,
    { who }: RunPlan,
    images: RunImages,
  ): RunIo['hear'] =>
  async () => {
    // What is asked after a stop is not for the run that was stopped.
    signal.throwIfAborted();
    await tracker.refresh({ maxAgeMs: MOST_AGE_MS });
    // Intents that cannot be judged now are retried after the run: they do not delay the work.
    await admit();
    const { session } = tracker;
    const reason = terminationReason(session);
    if (reason !== undefined) return { end: { kind: 'stopped', reason } };
    if (isPaused(session, service.pause)) return { end: { kind: 'paused' } };
    const {
      requests: { readUpTo },
      work,
    } = session;
    const unread = readable(session);
    const { due } = session.checks;
    const isNews =
      unread.length > 0 ||
      due !== undefined ||
      session.waiting.question?.expired === 'defaults' ||
      work.workspaceReplaced;
    if (!isNews) return { input: undefined, notices: await notices() };
    const withdrawn = await withdrawnOf(tracker, github, who, service.allowedBots);
    await takeSuggestions(withdrawn);
    const upTo = Math.max(unread.at(-1)?.admittedAt ?? readUpTo, due ?? 0);
    const said = inputMessage(readableIn(tracker.session), {
      withdrawn,
      imageTypes: images.types,
      stillAsked: loginStillAsked(session),
    });
    const files = readUpTo === 0 && session.thread.adopted === undefined ? await listFiles() : '';
    const input = { ...said, upTo, text: withFileList(said.text, files) };
    await images.add(input.images);
    return { input, notices: await notices() };
  };

type RunImageSource = Pick<SessionStore, 'images'>;

/** The content of the images that the conversation of a run has, at hand while it runs. */
export class RunImages {
  /** What the model of the run can see. */
  readonly types: ReadonlySet<ImageType>;
  readonly #store: RunImageSource;
  readonly #session: string;
  /** In Base64, by id. */
  readonly #content = new Map<string, string>();

  private constructor(store: RunImageSource, session: string, types: ReadonlySet<ImageType>) {
    this.types = types;
    this.#store = store;
    this.#session = session;
  }

  /** Those of the conversation so far, of a run that is prepared. */
  static async load(store: RunImageSource, { id, entries }: JournalTracker): Promise<RunImages> {
    const prepared = entries.findLast((entry) => entry.type === 'run_prepared');
    const images = new RunImages(store, id, new Set(prepared?.imageTypes));
    await images.add(
      entries.flatMap((entry) => (entry.type === 'input_read' ? (entry.images ?? []) : [])),
    );
    return images;
  }

  async add(images: readonly ImageFacts[] = []): Promise<void> {
    const wanted = images.filter(({ type, id }) => this.types.has(type) && !this.#content.has(id));
    const found = await this.#store.images(this.#session, [...new Set(wanted.map(({ id }) => id))]);
    for (const [id, content] of found)
      this.#content.set(id, Buffer.from(content).toString('base64'));
  }

  /** In Base64; `undefined` if it was not added. */
  readonly contentOf = ({ id }: ImageFacts): string | undefined => this.#content.get(id);
}
