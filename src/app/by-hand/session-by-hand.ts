// A session that a person starts and watches at a terminal. It is the same run as in the service, with another journal,
// and its questions are answered at once or not at all.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Intent, Opening, Person } from '../../contracts/intent.ts';
import type { NewEntry } from '../../session/entry.ts';
import type { Session } from '../../session/session.ts';
import { terminationReason } from '../../session/texts/run-ends.ts';
import type { ProcessJournal } from '../../store/process-journal.ts';
import { Termination } from '../../lib/errors.ts';
import { runSession } from '../run/run.ts';
import { saveStoppedWork } from '../run/save-work.ts';
import type { RunRepository, RunScope, RunService } from '../run/scope.ts';
import { JournalTracker } from '../service/journal-tracker.ts';

/** What a question is answered with; `approved`: the plan that it shows. */
export type Answer = { readonly text: string } | { readonly approved: true };

export interface ByHand {
  readonly service: Omit<RunService, 'store'>;
  readonly journal: ProcessJournal;
  readonly github: RunRepository;
  readonly opened: Opening;
  /** What is to be done, in words. */
  readonly task: string;
  /** `undefined`: nobody answers, and the session ends there. */
  readonly answer: (waiting: Session['waiting']) => Promise<Answer | undefined>;
  /** Raised when the person stops the work. What was done is saved. */
  readonly stopped: AbortSignal;
}

const PERSON: Person = { login: 'you', id: 0 };

/** Resolves with the session as it ended. */
export async function sessionByHand(hand: ByHand): Promise<Session> {
  const { journal, opened, task, stopped } = hand;
  const id = journal.open(opened);
  const tracker = await JournalTracker.open(journal, id, await journal.claim(id));
  const ending = new AbortController();
  const stop = async (): Promise<void> => {
    await say(hand, id, comment('stop'), { ask: { for: 'stop', alone: true } });
    ending.abort(new Termination(terminationReason(tracker.session) ?? 'You stopped it.'));
  };
  const onStop = (): void => void stop();
  stopped.addEventListener('abort', onStop, { once: true });
  const title = task.split('\n', 1)[0] ?? task;
  const digest = createHash('sha256').update(task).digest('hex');
  await say(
    hand,
    id,
    { kind: 'start', label: '', title, body: task },
    { issue: { title, body: task, digest } },
  );
  await tracker.refresh();
  const { service, github } = hand;
  const scope: RunScope = {
    service: { ...service, store: journal },
    tracker,
    github,
    admit: () => Promise.resolve(),
    signal: ending.signal,
  };
  await runs(hand, scope);
  stopped.removeEventListener('abort', onStop);
  return tracker.refresh();
}

/** One after another, as long as there are answers. */
async function runs(hand: ByHand, scope: RunScope): Promise<void> {
  const { tracker, signal } = scope;
  for (;;) {
    const outcome = await runSession(scope);
    if (outcome.kind === 'deferred') {
      const wait = Math.max(0, outcome.until.getTime() - Date.now());
      // A stop ends the run that waits, as it would end one that works.
      await pause(wait, undefined, { signal }).catch(() => {});
      continue;
    }
    if (outcome.kind !== 'asked') return;
    const answer = await hand.answer(tracker.session.waiting);
    if (signal.aborted || answer === undefined) return leave(hand, scope);
    if ('approved' in answer)
      await say(hand, tracker.id, comment('approve'), {
        ask: { for: 'approve', alone: true },
        approves: true,
      });
    else await say(hand, tracker.id, comment(answer.text), { shown: { body: answer.text } });
    await tracker.refresh();
  }
}

/** The changes that wait for an answer are committed, because nobody comes back to this session. */
async function leave(hand: ByHand, scope: RunScope): Promise<void> {
  const { tracker, signal } = scope;
  if (!signal.aborted)
    await say(hand, tracker.id, comment('stop'), { ask: { for: 'stop', alone: true } });
  await saveStoppedWork(scope);
}

const comment = (body: string): Intent => ({ kind: 'comment', on: 'issue', commentId: 0, body });

type Admitted = Extract<NewEntry, { type: 'admitted' }>;

/** What the person says counts at once. */
async function say(
  { journal, opened: { installation, repository } }: ByHand,
  id: string,
  intent: Intent,
  verdict: Omit<Admitted, 'type' | 'received' | 'lineComments'>,
): Promise<void> {
  const received = { installation, repository, sender: PERSON, intent, delivery: 'by hand' };
  const [{ seq } = { seq: 0 }] = await journal.append(id, [{ type: 'received', ...received }]);
  await journal.append(id, [{ type: 'admitted', received: seq, lineComments: [], ...verdict }]);
}
