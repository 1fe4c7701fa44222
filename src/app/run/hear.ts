import type { RunIo } from '../../agent/agent-run.ts';
import { withdrawnOf } from '../admission/still-allowed.ts';
import { inputMessage } from '../../agent/prompts/input.ts';
import { withFileList } from '../../agent/prompts/notices.ts';
import { NEWS_WAITS, unanswered } from '../../agent/prompts/results.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { Service } from '../service/service.ts';
import { terminationReason } from '../../session/texts/run-ends.ts';
import { unansweredIn } from '../../session/fold/replies.ts';
import { readable } from '../../session/merging.ts';
import { backgroundUntil, hasWordsForRun, loginStillAsked } from '../../session/requested-work.ts';
import type { Session } from '../../session/session.ts';
import { isPaused, type RunScope } from './scope.ts';
import type { RunImages } from './images.ts';
import type { RunPlan } from './plan/plan.ts';
import type { RunWork } from './work.ts';

type Scope = Pick<RunScope, 'tracker' | 'admit' | 'signal'> & {
  readonly github: Pick<GitHubRepository, 'permissionOf'>;
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
  ({ tracker, admit }: Pick<Scope, 'tracker' | 'admit'>): NonNullable<RunIo['whyNotYet']> =>
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
    { tracker, github, admit, signal, service }: Scope,
    {
      notices,
      takeSuggestions,
      listFiles,
    }: Pick<RunWork, 'notices' | 'takeSuggestions' | 'listFiles'>,
    { who }: Pick<RunPlan, 'who'>,
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
    const withdrawn = await withdrawnOf(tracker, github, who, service);
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
